//! The endpoint dialog: where a model is, and its key, which stays in this page's memory.

use leptos::prelude::*;
use stepweave_core::document::{Model, Provider, Secret};
use stepweave_core::json;
use wasm_bindgen_futures::spawn_local;

use self::key::KeyForm;
use super::field::{Choice, TextField};
use super::remembering::Remembering;
use crate::model::endpoints::{is_endpoint, origin_of};
use crate::model::pasted_key::{PASTED_KEY, looks_like_key};
use crate::model::probe::{Line, Verdict, question, verdict};
use crate::page::icon::{LOCK, icon};
use crate::page::state::{App, EndpointField, Remembered, app};
use crate::step::agents::{ON_DEVICE, ON_DEVICE_HANDLER};

mod key;

/// A provider that people can choose.
struct Preset {
    name: &'static str,
    about: &'static str,
    provider: Provider,
    /// A model of it that there is, as an example.
    model: &'static str,
    place: Place,
}

/// Where the endpoint of a preset is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Where its provider has it.
    Own,
    /// At an address that a person gives, which speaks the format of the provider.
    Elsewhere,
}

const fn preset(name: &'static str, about: &'static str, provider: Provider, model: &'static str) -> Preset {
    Preset { name, about, provider, model, place: Place::Own }
}

/// Any endpoint that speaks the format that most do.
const OTHER: Preset =
    Preset { place: Place::Elsewhere, ..preset("Other", "OpenAI-compatible address", Provider::Openai, "") };

const PRESETS: &[Preset] = &[
    preset("Demo", "offline, simulated", Provider::Demo, "demo"),
    preset("On device", "in this browser", Provider::Custom, ON_DEVICE),
    preset("OpenAI", "chat completions", Provider::Openai, "gpt-5-mini"),
    preset("OpenAI", "Responses", Provider::OpenaiResponses, "gpt-5-mini"),
    OTHER,
    preset("Anthropic", "Messages", Provider::Anthropic, "claude-sonnet-4-5"),
    preset("Gemini", "Google", Provider::Gemini, "gemini-2.5-flash"),
    preset("OpenRouter", "many models", Provider::Openrouter, "openai/gpt-5-mini"),
    preset("Groq", "groq.com", Provider::Groq, "openai/gpt-oss-20b"),
    preset("Mistral", "mistral.ai", Provider::Mistral, "mistral-small-2603"),
    preset("DeepSeek", "deepseek.com", Provider::Deepseek, "deepseek-v4-flash"),
    preset("xAI", "x.ai", Provider::Xai, "grok-4"),
    preset("Together", "together.xyz", Provider::Together, "openai/gpt-oss-20b"),
    preset("Azure", "your resource", Provider::Azure, "your-deployment"),
    preset("Workers AI", "your account", Provider::WorkersAi, "@cf/openai/gpt-oss-20b"),
    preset("llama.cpp", "on this machine", Provider::Llamacpp, "default"),
    preset("Ollama", "on this machine", Provider::Ollama, "llama3.2"),
    preset("LM Studio", "on this machine", Provider::Lmstudio, "default"),
    preset("vLLM", "on this machine", Provider::Vllm, "default"),
];

/// What stands in the dialog until it is saved.
#[derive(Clone, Copy)]
struct Form {
    model_id: RwSignal<String>,
    provider: RwSignal<Provider>,
    url: RwSignal<String>,
    model: RwSignal<String>,
    key: KeyForm,
    tried: RwSignal<bool>,
}

/// The dialog.
#[component]
pub fn Endpoint(
    /// The model that is shown; the first one when absent.
    model: Option<String>,
    /// What a person came for.
    field: EndpointField,
) -> impl IntoView {
    let app = app();
    let ids =
        app.editor.document.with_untracked(|document| document.models.keys().cloned().collect::<Vec<_>>());
    let form = Form {
        model_id: RwSignal::new(
            model.or_else(|| ids.first().cloned()).unwrap_or_else(|| "default".to_owned()),
        ),
        provider: RwSignal::new(Provider::Demo),
        url: RwSignal::new(String::new()),
        model: RwSignal::new(String::new()),
        key: KeyForm::new(),
        tried: RwSignal::new(false),
    };
    let read = move || {
        let id = form.model_id.get_untracked();
        let model = app.editor.document.with_untracked(|document| document.models.get(&id).cloned());
        form.fill(model.as_ref());
        form.fill_key(app);
    };
    read();
    form.key.follow(app, form.url);
    let choices: Vec<(String, String)> = ids.iter().map(|id| (id.clone(), id.clone())).collect();
    let several = (ids.len() > 1).then(|| {
        let options = Signal::stored(choices);
        let pick = move |id: String| {
            form.model_id.set(id);
            read();
        };
        view! { <Choice label="Model of the workflow" value=form.model_id options=options on_pick=pick /> }
    });
    let on_device = RwSignal::new(None::<String>);
    let bridge = app.bridge.get_value();
    spawn_local(async move {
        // The dialog may have been closed meanwhile.
        let _ = on_device.try_set(bridge.on_device().await);
    });
    let real = move || is_endpoint(form.provider.get());
    let url_error = Signal::derive(move || {
        form.tried.get().then(|| wrong_url(&form.url.get(), form.provider.get())).flatten()
    });
    let url_hint = Signal::derive(move || match own_address(form.provider.get()) {
        Some(address) => format!("Yours, such as {address}"),
        None => "Up to and with its version, such as /v1".to_owned(),
    });
    let model_error = Signal::derive(move || {
        (form.tried.get() && form.model.with(|name| name.trim().is_empty()))
            .then(|| "Name the model to ask.".to_owned())
    });
    let secret_error = Signal::derive(move || {
        let secret = form.key.name.get();
        if looks_like_key(&secret) {
            return Some(PASTED_KEY.to_owned());
        }
        let wrong = match secret.trim() {
            "" => form.key.value.with(|key| !key.is_empty()),
            name => !Secret::is_name(name),
        };
        (form.tried.get() && wrong)
            .then(|| "Give the key a name of letters, digits and _, such as OPENAI_API_KEY.".to_owned())
    });
    let bound = Signal::derive(move || {
        let origins = form.key.origins(app, &form.url.get());
        let sent = match origins.is_empty() {
            true => String::new(),
            false => format!(" Its value is sent to {} only.", origins.join(" and ")),
        };
        format!("The document names the key and never holds it.{sent}")
    });
    let about_key = Signal::derive(move || form.key.about(app, &form.url.get()));
    let key_missing = Signal::derive(move || match form.provider.get().secret() {
        "" => "none needed".to_owned(),
        _ => String::new(),
    });
    let (tested, busy) = (RwSignal::new(Verdict::default()), RwSignal::new(false));
    Effect::new(move || {
        // What was found is of another endpoint then.
        let _ = (form.url.get(), form.provider.get(), form.key.name.get(), form.key.value.get());
        tested.set(Verdict::default());
    });
    let test = move |()| {
        form.tried.set(true);
        if [url_error, secret_error].iter().any(|error| error.with_untracked(Option::is_some)) {
            return;
        }
        form.test(app, tested, busy);
    };
    let save = move |_| {
        form.tried.set(true);
        let errors = [url_error, model_error, secret_error];
        if real() && errors.iter().any(|error| error.with_untracked(Option::is_some)) {
            return;
        }
        let id = form.model_id.get_untracked();
        app.editor.change_settings(|document| {
            let old = document.models.get(&id).cloned();
            document.models.insert(id.clone(), form.model(old));
        });
        if let Some(origin) = origin_of(&form.url.get_untracked()).filter(|_| real()) {
            form.key.save(app, &origin);
            app.agreed.update(|agreed| agreed.push(origin));
        }
        app.dialog.set(None);
    };
    view! {
        <div class="modal-body">
            {several}
            <div class="presets" role="group" aria-label="Presets">
                {PRESETS.iter().map(|preset| preset_button(app, form, preset)).collect_view()}
            </div>
            <Show when=real>
                <TextField label="Base URL" kind="url" code=true value=form.url error=url_error hint=url_hint
                    on_input=move |text| { form.url.set(text); form.look_for_key(app); } />
                <TextField label="Model" code=true value=form.model on_input=move |text| form.model.set(text) error=model_error
                    offers=Signal::derive(move || tested.with(|tested| tested.models.clone())) />
                <div class="pair">
                    <TextField label="Name of the key" code=true value=form.key.name error=secret_error placeholder="none"
                        on_input=move |text| { form.key.name.set(text); form.look_for_key(app); } />
                    <TextField label="API key" kind="secret" value=form.key.value on_input=move |text| form.key.value.set(text)
                        placeholder=key_missing hint=about_key autofocus={field == EndpointField::Key} />
                </div>
                <Tested tested=tested busy=busy on_test=test />
                <p class="note">
                    {icon(LOCK)}
                    <span>{move || kept(app.remembered.get())} " " {bound}</span>
                </p>
                <Remembering />
            </Show>
            <p class="note sends">{move || sent(form, on_device.get().as_deref())}</p>
        </div>
        <footer>
            <button class="button" on:click=move |_| app.dialog.set(None)>"Cancel"</button>
            <button class="button primary" on:click=save>"Save"</button>
        </footer>
    }
}

/// What a test of the endpoint has found.
#[component]
fn Tested(
    tested: RwSignal<Verdict>,
    busy: RwSignal<bool>,
    #[prop(into)] on_test: Callback<()>,
) -> impl IntoView {
    let line = |Line { mood, text, advice }: Line| {
        view! { <li data-mood=mood><b>{text}</b> {advice}</li> }
    };
    view! {
        <div class="tested" aria-live="polite">
            <button class="button" disabled=busy on:click=move |_| on_test.run(())>
                {move || if busy.get() { "Testing…" } else { "Test" }}
            </button>
            <span class="field-hint">"Asks for the list of models, with the key; no prompt is sent."</span>
            <ul>{move || tested.get().lines.into_iter().map(line).collect_view()}</ul>
        </div>
    }
}

impl Form {
    /// Asks the endpoint as it stands in the form for its models.
    fn test(self, app: App, tested: RwSignal<Verdict>, busy: RwSignal<bool>) {
        let Some(origin) = origin_of(&self.url.get_untracked()) else { return };
        let (secret, key) = self.key.texts();
        let name = if key.is_empty() { String::new() } else { secret };
        let document = json::text(&question(self.provider.get_untracked(), &self.url.get_untracked(), &name));
        let bridge = app.bridge.get_value();
        busy.set(true);
        spawn_local(async move {
            let ended = bridge.probe(&document, &name, &key, &origin).await.unwrap_or_default();
            let ended = serde_json::from_str(&ended).unwrap_or_default();
            let found = verdict(&ended, &self.model.get_untracked(), !key.is_empty());
            // The dialog may have been closed meanwhile.
            let _ = (tested.try_set(found), busy.try_set(false));
        });
    }

    /// Whether it is the browser's own model; follows the choice.
    fn is_on_device(self) -> bool {
        self.provider.get() == Provider::Custom && self.model.with(|model| model == ON_DEVICE)
    }

    /// Whether the address is that of the provider; follows both.
    fn place(self) -> Place {
        let own = origin_of(self.provider.get().base_url());
        if self.url.with(|url| origin_of(url)) == own { Place::Own } else { Place::Elsewhere }
    }

    fn fill(self, model: Option<&Model>) {
        let provider = model.map_or(Provider::Demo, |model| model.provider);
        self.provider.set(provider);
        let url = model.and_then(|model| model.base_url.clone());
        self.url.set(url.unwrap_or_else(|| provider.base_url().to_owned()));
        self.model.set(model.map_or_else(|| "demo".to_owned(), |model| model.model.clone()));
        self.key.name.set(
            model.and_then(|model| model.api_key.as_ref()).map(|key| key.secret.clone()).unwrap_or_default(),
        );
        self.tried.set(false);
    }

    /// Fills in the key that is in memory for this name and this origin.
    fn fill_key(self, app: App) {
        self.key.fill(app, &self.url.get_untracked());
    }

    /// Looks whether there is a key for what stands in the fields now.
    fn look_for_key(self, app: App) {
        self.key.look(app, &self.url.get_untracked());
    }

    fn model(self, old: Option<Model>) -> Model {
        let provider = self.provider.get_untracked();
        let kept = old.unwrap_or_else(|| Model::new(provider, ""));
        if !is_endpoint(provider) {
            // A function of the host stays what it is; the others have one name.
            let (model, handler) = match provider {
                Provider::Demo => ("demo".to_owned(), None),
                _ if self.is_on_device() => (ON_DEVICE.to_owned(), Some(ON_DEVICE_HANDLER.to_owned())),
                _ => (kept.model, kept.handler),
            };
            return Model { provider, model, handler, base_url: None, api_key: None, ..kept };
        }
        let url = self.url.get_untracked().trim().trim_end_matches('/').to_owned();
        let (secret, _) = self.key.texts();
        Model {
            provider,
            model: self.model.get_untracked().trim().to_owned(),
            base_url: Some(url),
            api_key: Some(secret).filter(|name| !name.is_empty()).map(|secret| Secret { secret }),
            handler: None,
            ..kept
        }
    }
}

/// Where the key is.
fn kept(remembered: Remembered) -> &'static str {
    match remembered {
        Remembered::Yes => {
            "Once you save, the key is encrypted on this device with your passphrase. It is in no export, link or log."
        }
        _ => {
            "The key stays in this page's memory and is gone when the page closes or reloads. It is in no export, link, log or storage."
        }
    }
}

fn preset_button(app: App, form: Form, preset: &'static Preset) -> impl IntoView {
    let chosen = move || {
        let is_it = match preset.provider {
            Provider::Custom => form.is_on_device(),
            Provider::Openai => form.place() == preset.place,
            _ => true,
        };
        form.provider.get() == preset.provider && is_it
    };
    let choose = move |_| {
        form.provider.set(preset.provider);
        let (url, secret) = match preset.place {
            Place::Own => (preset.provider.base_url(), preset.provider.secret()),
            Place::Elsewhere => ("", ""),
        };
        form.url.set(url.to_owned());
        form.model.set(preset.model.to_owned());
        form.key.name.set(secret.to_owned());
        form.fill_key(app);
        form.tried.set(false);
    };
    view! {
        <button class="preset" aria-pressed=move || chosen().to_string() on:click=choose>
            <b>{preset.name}</b><small>{preset.about}</small>
        </button>
    }
}

fn sent(form: Form, on_device: Option<&str>) -> String {
    if form.is_on_device() {
        return format!("Nothing leaves this machine. {}", about_on_device(on_device));
    }
    if !is_endpoint(form.provider.get()) {
        return "Nothing is sent anywhere. Answers are made up on this machine and marked as simulated."
            .to_owned();
    }
    match origin_of(&form.url.get()) {
        Some(origin) => format!(
            "What is sent: the instructions and the input of each agent step, and what its tools give, straight from this browser to {origin}. Nothing goes to us or anybody else."
        ),
        None => "Give the address of an endpoint to see what is sent where.".to_owned(),
    }
}

/// Whether this browser has its own model, and what a person can do.
fn about_on_device(word: Option<&str>) -> &'static str {
    match word {
        None => "Asking the browser whether it has a model…",
        Some("available") => "This browser has its model ready. It calls no tools.",
        Some("downloading") => {
            "This browser is downloading its model, some gigabytes: runs wait for it. It calls no tools."
        }
        Some("downloadable") => {
            "This browser downloads its model, some gigabytes, with the first run, which waits for it. It calls no tools."
        }
        Some("unavailable") => {
            "But this browser has no model here: it needs 22 GB of free disk and a graphics card of more than 4 GB, or 16 GB of memory. chrome://on-device-internals says what is missing."
        }
        Some(_) => {
            "But this browser has no model of its own: it takes Chrome 148 or newer on a desktop computer. Runs fail until then; an agent's fallbacks stand in."
        }
    }
}

/// The form of the address where each user has their own.
fn own_address(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::Azure => Some("https://my-resource.openai.azure.com/openai/v1"),
        Provider::WorkersAi => Some("https://api.cloudflare.com/client/v4/accounts/my-account/ai/v1"),
        _ => None,
    }
}

fn wrong_url(url: &str, provider: Provider) -> Option<String> {
    let Some(origin) = origin_of(url) else {
        let example = own_address(provider).unwrap_or("https://api.openai.com/v1");
        return Some(format!("Must be an address such as {example}."));
    };
    let host = origin.strip_prefix("http://")?;
    let name = host.split(':').next().unwrap_or(host);
    let local = name == "localhost" || name == "127.0.0.1";
    (!local).then(|| {
        "http:// is for this machine only (localhost or 127.0.0.1); elsewhere use https://.".to_owned()
    })
}
