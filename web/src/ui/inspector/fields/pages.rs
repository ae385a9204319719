//! How the further pages of a request's answer are requested.

use leptos::prelude::*;
use stepweave_core::document::{Cursor, HttpRequest, Pages};

use super::bound::{Bound, BoundChoice, BoundLines, BoundNumber, BoundText, or_empty};
use super::request::part;
use crate::ui::code::Writes;

/// How many pages are requested where a person has not said how many.
const USUAL_MAX: u32 = 10;

/// The fields.
#[component]
pub fn PageFields(
    /// The request.
    request: Bound<HttpRequest>,
) -> impl IntoView {
    let way = part(
        &request,
        ".pages",
        |request| way_of(request.pages.as_ref()).to_owned(),
        |request, way: String| request.pages = going(request.pages.take(), &way),
    );
    let chosen = way.signal();
    let content = move || {
        let way = chosen.get();
        if way.is_empty() {
            return ().into_any();
        }
        let next = paged(
            &request,
            ".pages.next",
            |pages| pages.next.unwrap_or_default(),
            |pages, text: String| pages.next = Some(text),
        );
        let parameter = paged(
            &request,
            ".pages.cursor.query",
            |pages| pages.cursor.unwrap_or_default().query,
            |pages, name: String| pages.cursor.get_or_insert_default().query = name,
        );
        let value = paged(
            &request,
            ".pages.cursor.value",
            |pages| pages.cursor.unwrap_or_default().value,
            |pages, text: String| pages.cursor.get_or_insert_default().value = text,
        );
        let items =
            or_empty(paged(&request, ".pages.items", |pages| pages.items, |pages, text| pages.items = text));
        let most = paged(
            &request,
            ".pages.max",
            |pages| Some(u64::from(pages.max)),
            |pages, most: Option<u64>| pages.max = most.and_then(|most| most.try_into().ok()).unwrap_or(1),
        );
        let found = match way.as_str() {
            "cursor" => view! {
                <BoundText label="Parameter of the query" bound=parameter code=true placeholder="cursor" />
                <BoundLines label="Its value for the next page" bound=value rows=1 code=true writes=Writes::Answer placeholder="body.nextCursor"
                    hint="An expression over status, headers and body; null at the end" />
            }
            .into_any(),
            _ => view! {
                <BoundLines label="Next page" bound=next rows=1 code=true writes=Writes::Answer placeholder="body.next"
                    hint="An expression that gives the address of the next page; null at the end" />
            }
            .into_any(),
        };
        view! {
            {found}
            <BoundLines label="Items of a page" bound=items rows=1 code=true writes=Writes::Answer placeholder="the whole body"
                hint="An expression that gives the list of a page, such as body.items; the lists of all pages are joined" />
            <BoundNumber label="Pages at most" bound=most least=1 most=1000 needed=true />
        }
        .into_any()
    };
    view! {
        <BoundChoice label="Further pages" bound=way
            options=&[("", "none"), ("next", "at an address that a page says"), ("cursor", "by a parameter of the query")] />
        {content}
    }
}

fn way_of(pages: Option<&Pages>) -> &'static str {
    match pages {
        None => "",
        Some(Pages { cursor: Some(_), .. }) => "cursor",
        Some(_) => "next",
    }
}

/// Pages that are found another way; what else is said of them stays.
fn going(pages: Option<Pages>, way: &str) -> Option<Pages> {
    let kept = pages.unwrap_or(Pages { max: USUAL_MAX, ..Pages::default() });
    match way {
        "next" => Some(Pages { next: Some(String::new()), cursor: None, ..kept }),
        "cursor" => Some(Pages { next: None, cursor: Some(Cursor::default()), ..kept }),
        _ => None,
    }
}

/// A value of the pages.
fn paged<T: Default + 'static>(
    request: &Bound<HttpRequest>,
    path: &str,
    read: impl Fn(Pages) -> T + Send + Sync + 'static,
    write: impl Fn(&mut Pages, T) + Send + Sync + 'static,
) -> Bound<T> {
    let read = move |request: HttpRequest| request.pages.map(&read).unwrap_or_default();
    part(request, path, read, move |request, value| {
        if let Some(pages) = &mut request.pages {
            write(pages, value);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_pages_stays_when_they_are_found_another_way() {
        let next = going(None, "next").unwrap();
        assert_eq!((way_of(Some(&next)), next.max), ("next", USUAL_MAX));
        let said = Pages { items: Some("body.items".to_owned()), max: 3, ..next };
        let cursor = going(Some(said), "cursor").unwrap();
        assert_eq!((way_of(Some(&cursor)), cursor.max, cursor.next.clone()), ("cursor", 3, None));
        assert_eq!(cursor.items.as_deref(), Some("body.items"));
        assert_eq!((going(Some(cursor), ""), way_of(None)), (None, ""));
    }
}
