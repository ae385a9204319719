//! Views that come in files of their own, once the first card is shown.
//!
//! `wasm_split` is what Leptos' `#[lazy]` is made of. That macro ends the whole page when a file does not come; here a
//! person reads so where the view would be, and can try again.

use std::pin::Pin;

use leptos::prelude::*;
use leptos::wasm_split::SplitLoaderError;
use wasm_bindgen_futures::spawn_local;

use super::icon::{WARNING, icon};

/// How a file is fetched that gives what is in it.
type Fetch<T> = fn() -> Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// A file of the page, and what is in it once it is here: functions that make views.
#[derive(Debug)]
pub struct Chunk<T: Send + Sync + 'static> {
    state: RwSignal<State<T>>,
    fetch: Fetch<T>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State<T> {
    /// Nobody needed it yet.
    Away,
    Coming,
    Here(T),
    /// Without a network, or after a new version was put where it was.
    Missing,
}

impl<T: Copy + Send + Sync> Chunk<T> {
    /// A file that is not fetched yet.
    pub fn new(fetch: Fetch<T>) -> Self {
        Self { state: RwSignal::new(State::Away), fetch }
    }

    /// Fetches it, unless it is here or on its way.
    pub fn fetch(self) {
        let state = self.state.get_untracked();
        if matches!(state, State::Here(_) | State::Coming) {
            return;
        }
        self.state.set(State::Coming);
        let coming = (self.fetch)();
        spawn_local(async move {
            self.state.set(coming.await.map_or(State::Missing, State::Here));
        });
    }

    /// What is in it, once it is here; follows it.
    pub fn get(self) -> Option<T> {
        match self.state.get() {
            State::Here(content) => Some(content),
            _ => None,
        }
    }

    /// Whether it is here, or known not to come; follows it.
    pub fn is_settled(self) -> bool {
        matches!(self.state.get(), State::Here(_) | State::Missing)
    }

    /// What is in it, as soon as it is here; `name` is what people miss when it does not come.
    pub fn show(self, name: &'static str, view: impl Fn(T) -> AnyView + Send + 'static) -> impl IntoView {
        move || {
            match self.state.get() {
            State::Here(content) => view(content),
            State::Away | State::Coming => view! { <p class="coming" aria-busy="true"></p> }.into_any(),
            State::Missing => view! {
                <div class="missing" role="alert">
                    <p>{icon(WARNING)} {name} " did not come: a file of the builder could not be loaded. Are you online? Your workflow is kept."</p>
                    <button class="button" on:click=move |_| self.fetch()>"Try again"</button>
                </div>
            }
            .into_any(),
        }
        }
    }
}

impl<T: Send + Sync> Clone for Chunk<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync> Copy for Chunk<T> {}
