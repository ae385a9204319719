//! Images and other files.

use serde_json::Value;

use super::base64;
use crate::literal::json;

/// An image or another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// Such as `image/png`.
    pub media_type: String,
    /// What is in it, or where it is.
    pub source: MediaSource,
    /// What people call it.
    pub name: Option<String>,
}

/// What a medium is to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// To be looked at.
    Image,
    /// To be read.
    File,
}

/// What stands before the digest of bytes that the host keeps, where their base64 would stand: the host puts them in when
/// it sends the request.
const STORED: &str = "stepweave-file:";

/// Whether this is the digest of bytes.
fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256-").is_some_and(|hex| {
        hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Where a medium comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaSource {
    /// Its bytes in base64.
    Data(String),
    /// The address from which the endpoint fetches it.
    Url(String),
}

impl Media {
    /// What lies at an address, which may hold the bytes themselves; nothing where it holds them otherwise than in base64.
    pub(super) fn at(url: &str) -> Option<Self> {
        let Some(inside) = url.strip_prefix("data:") else {
            let source = MediaSource::Url(url.to_owned());
            return (!url.is_empty()).then(|| Self::made("image/*", source));
        };
        let (kind, data) = inside.split_once(";base64,")?;
        Some(Self::made(kind, MediaSource::Data(data.to_owned())))
    }

    /// What a model made of this kind.
    pub(super) fn made(media_type: &str, source: MediaSource) -> Self {
        let kind = if media_type.starts_with("image/") { MediaKind::Image } else { MediaKind::File };
        Self { kind, media_type: media_type.to_owned(), source, name: None }
    }

    /// As results, requests of models of the host and journals have it: `{ type, mediaType, data or url, name? }`.
    pub(crate) fn to_json(&self) -> Value {
        let kind = if self.kind == MediaKind::Image { "image" } else { "file" };
        let (key, value) = match &self.source {
            MediaSource::Data(data) => ("data", data),
            MediaSource::Url(url) => ("url", url),
        };
        let mut json = json!({ "type": kind, "mediaType": self.media_type });
        if let Some(map) = json.as_object_mut() {
            map.insert(key.to_owned(), value.as_str().into());
            map.extend(self.name.iter().map(|name| ("name".to_owned(), name.as_str().into())));
        }
        json
    }

    /// Reads the form that [`Media::to_json`] writes, or one that has the digest of its bytes in their place.
    pub(crate) fn from_json(json: &Value) -> Option<Self> {
        let text = |key| json.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = match text("type")?.as_str() {
            "image" => MediaKind::Image,
            "file" => MediaKind::File,
            _ => return None,
        };
        let source = match (text("data"), text("url"), text("digest")) {
            (Some(data), None, _) => MediaSource::Data(data),
            (None, Some(url), _) => MediaSource::Url(url),
            (None, None, Some(digest)) if is_digest(&digest) => MediaSource::Data([STORED, &digest].concat()),
            _ => return None,
        };
        Some(Self { kind, media_type: text("mediaType")?, source, name: text("name") })
    }

    /// Whether it is to be looked at, whatever it is called.
    pub(super) fn is_image(&self) -> bool {
        self.kind == MediaKind::Image || self.media_type.starts_with("image/")
    }

    /// The bytes of a sound in base64, and what endpoints call their format; nothing where it is elsewhere.
    pub(super) fn sound(&self) -> Option<(&str, &str)> {
        let MediaSource::Data(data) = &self.source else { return None };
        let format = match self.media_type.strip_prefix("audio/")? {
            "mpeg" => "mp3",
            "mp4" | "x-m4a" => "m4a",
            "wave" | "x-wav" | "vnd.wave" => "wav",
            // What else there is has one name, with a mark before it where it is in no registry.
            other => other.trim_start_matches("x-"),
        };
        Some((data, format))
    }

    /// What is written in it; nothing where it holds anything but a text, or is elsewhere. Of the files that are none,
    /// endpoints take hardly more than PDF and sounds.
    pub(super) fn text(&self) -> Option<String> {
        match &self.source {
            MediaSource::Data(data)
                if !self.is_image() && self.sound().is_none() && self.media_type != "application/pdf" =>
            {
                base64::decoded(data)
            }
            _ => None,
        }
    }

    /// Characters of its base64, which are no words.
    pub(super) fn wordless_bytes(&self) -> usize {
        match &self.source {
            MediaSource::Data(data) => data.len().saturating_sub(self.text().map_or(0, |text| text.len())),
            MediaSource::Url(_) => 0,
        }
    }

    /// An address, which may hold the bytes themselves.
    pub(super) fn url(&self) -> String {
        match &self.source {
            MediaSource::Url(url) => url.clone(),
            MediaSource::Data(data) => ["data:", &self.media_type, ";base64,", data].concat(),
        }
    }

    /// The same under its name, for endpoints that cannot carry the name of a text.
    pub(super) fn titled_text(&self) -> Option<String> {
        let text = self.text()?;
        Some(self.name.as_ref().map_or(text.clone(), |name| [name, ":\n\n", &text].concat()))
    }

    /// What to call it where an endpoint wants a name.
    pub(super) fn file_name(&self) -> String {
        let kind = || self.media_type.rsplit('/').next().unwrap_or_default().to_owned();
        self.name.clone().unwrap_or_else(|| ["file.", &kind()].concat())
    }
}
