//! Requests of steps and tools: how they are sent, once where that counts, and what becomes of their answers.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

pub(super) use self::done::Done;

use self::address::{led_to, link_of, with_parameter, with_query};
use self::refused::Refused;
use self::rendered::{Body, Sent};
use super::flow::Flow;
use super::journal::Caller;
use super::leaf::{Answer, Trouble};
use super::plan::{Fetch, Node, NodeKind, PlannedPages, PlannedRequest};
use super::retry;
use super::time::Limit;
use super::walk::{Walk, apart};
use crate::digest::Digest;
use crate::document::OnUnknown;
use crate::error::{Code, Error, Source};
use crate::event::Event;
use crate::host::{Entry, Gate, Host, Sending};
use crate::json;
use crate::language::{leads_elsewhere, origin_of};
use crate::literal::json;

mod address;
mod done;
mod refused;
mod rendered;

/// Bytes that the lists of all pages may have together where no limit says it.
const MAX_LISTS: u64 = 32 * 1024 * 1024;

/// How messages call what an endpoint has answered.
const ANSWER: &str = "the answer";

/// What to do where a request of a tool, or of a step inside of another, may have been carried out.
pub(super) const UNKNOWN_CALL: &str =
    "look at the endpoint whether it was; then run again from this step, with replay: \"edit\" and from";

/// For what a request is sent.
pub(super) struct Occasion<'r, V> {
    /// What its templates see.
    pub(super) flow: &'r Flow<V>,
    /// The end of its key in the journal.
    pub(super) call: &'r str,
    /// For a tool, the call's id.
    pub(super) call_id: Option<&'r str>,
    /// What is done when nobody knows whether it was carried out.
    pub(super) on_unknown: OnUnknown,
}

impl<'a, H: Host> Walk<'a, H> {
    /// Sends the request of a step.
    pub(super) async fn http(
        &self,
        fetch: &Fetch,
        flow: &Flow<H::Value>,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Trouble> {
        let occasion = Occasion { flow, call: "http", call_id: None, on_unknown: fetch.on_unknown };
        match self.requested(&fetch.request, &occasion, caller).await {
            Ok(given) => Ok(self.given_by(fetch, given)),
            Err(error) => self.decided_on(fetch, error, caller),
        }
    }

    /// What an attempt gives that was cut short by its time limit.
    pub(super) fn cut_short(
        &self,
        node: &Node,
        error: Error,
        limit: &Limit<'_>,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Trouble> {
        match (&node.kind, self.in_time(error, limit, caller, None)) {
            (NodeKind::Http(fetch), error) => self.decided_on(fetch, error, caller),
            (_, error) if error.code == Code::UnknownOutcome => Err(error.with_hint(UNKNOWN_CALL).into()),
            (_, error) => Err(error.into()),
        }
    }

    /// What a step gives whose request failed. Where nobody knows whether it was carried out, its document decides.
    fn decided_on(
        &self,
        fetch: &Fetch,
        error: Error,
        caller: &Caller<'_>,
    ) -> Result<Answer<H::Value>, Trouble> {
        match (error.code, fetch.on_unknown) {
            (Code::UnknownOutcome, OnUnknown::Retry) => {
                Err(error.with_hint(refused::SENT_AGAIN).retryable().into())
            }
            (Code::UnknownOutcome, OnUnknown::Skip) => {
                let message = format!("{}; the run goes on without its answer", error.message);
                self.host.emit(Event::Warning { spot: Some(caller.spot), code: "unknown_outcome", message });
                Ok(self.given_by(fetch, self.host.value_from_json(Value::Null)))
            }
            _ => Err(error.into()),
        }
    }

    /// How often a step is tried again after this failure. One that may be sent twice is, whatever its retries say.
    pub(super) fn most_retries(node: &Node, error: &Error) -> u32 {
        match (&node.kind, error.code) {
            (NodeKind::Http(_), Code::UnknownOutcome) => node.max_retries.max(1),
            _ => node.max_retries,
        }
    }

    /// A failure as it counts for a run that is taken up. What is made of an answer that a journal has fails as it did then: where
    /// the request may be sent twice, it is sent again, for its endpoint may answer otherwise by now.
    pub(super) fn as_recorded(&self, node: &Node, caller: &Caller<'_>, error: Error) -> Error {
        let NodeKind::Http(fetch) = &node.kind else { return error };
        let is_there = || self.key(caller, "http").is_some_and(|key| self.recorded(caller, &key).is_some());
        let is_again = error.source == Source::Live && fetch.request.method.is_idempotent();
        match is_again && is_there() {
            true => error.met_in(Source::Journal),
            false => error,
        }
    }

    fn given_by(&self, fetch: &Fetch, given: H::Value) -> Answer<H::Value> {
        let patch = self.host.object(vec![(&fetch.output_key, given.clone())]);
        Answer::new(Some(given), Some(patch))
    }

    /// What a request gives.
    pub(super) fn requested<'f>(
        &'f self,
        request: &'f PlannedRequest,
        occasion: &'f Occasion<'f, H::Value>,
        caller: &'f Caller<'f>,
    ) -> Pin<Box<dyn Future<Output = Result<H::Value, Error>> + 'f>> {
        apart(async move {
            let sending = self.rendered(request, occasion).await?;
            // A step has its answer in the journal, and is not sent again; a model would call again.
            let once = only_once(&sending).filter(|_| occasion.call_id.is_some());
            let answer = match &request.pages {
                None => self.answer(request, sending, occasion, caller, occasion.call).await?,
                Some(pages) => self.pages(request, pages, sending, occasion, caller).await?,
            };
            match &request.result {
                None => Ok(self.member(&answer, "body")),
                Some(result) => {
                    let flow = Flow::over(ANSWER, answer);
                    let given = self.evaluate(result, "`result`", &flow, &flow.state).await;
                    given.map_err(|error| match &once {
                        Some(what) => refused::perhaps_done(error, what),
                        None => error,
                    })
                }
            }
        })
    }

    /// The answer to one request, `{ status, headers, body }`: from the journal, or else live.
    async fn answer(
        &self,
        request: &PlannedRequest,
        sending: Sending,
        occasion: &Occasion<'_, H::Value>,
        caller: &Caller<'_>,
        call: &str,
    ) -> Result<H::Value, Error> {
        let (fingerprint, is_once) = (fingerprint(&sending), sending.once);
        let answer = self.sent(request, sending, occasion, caller, (call, fingerprint)).await;
        if is_once {
            self.keep_done(occasion, caller, call, fingerprint, &answer);
        }
        answer
    }

    async fn sent(
        &self,
        request: &PlannedRequest,
        sending: Sending,
        occasion: &Occasion<'_, H::Value>,
        caller: &Caller<'_>,
        (call, fingerprint): (&str, Digest),
    ) -> Result<H::Value, Error> {
        let done =
            only_once(&sending).and_then(|what| self.find_done(occasion, caller, call, fingerprint, &what));
        let sent = self.key(caller, &format!("{call}.sent")).filter(|_| sending.once);
        let mut is_sent = false;
        // Until its answer is kept, whatever cuts it short leaves it open whether it was carried out.
        let under_way = RefCell::new(None);
        let note_sent = |what: &str| {
            let mut under_way = under_way.borrow_mut();
            if under_way.is_none() {
                Limit::note_sent(caller);
                *under_way = Some(self.done.begin(caller.spot, what.to_owned()));
            }
        };
        if let Some(sent) = &sent
            && self.takes_over(caller, sent, fingerprint)?
        {
            self.host.replay(sent).await?;
            is_sent = true;
            let is_open = self.key(caller, call).is_some_and(|key| self.recorded(caller, &key).is_none());
            let what = only_once(&sending).unwrap_or_default();
            if is_open {
                note_sent(&what);
            }
            if is_open && occasion.on_unknown != OnUnknown::Retry {
                self.outlives(caller, fingerprint).await;
                Limit::note_answered(caller);
                return Err(refused::unknown(
                    &(what + " was sent and has no answer"),
                    "the run was broken off",
                ));
            }
        }
        let live = Box::pin(async {
            if let Some(done) = done {
                return done;
            }
            let endpoint = origin_of(&place_of(&sending)).unwrap_or_default().to_owned();
            let gate = Gate { endpoint: endpoint.clone(), concurrency: None, requests_per_minute: None };
            let permit = self.host.admit(caller.spot, gate).await;
            let (is_with_secret, once) = (sending.auth.is_some(), only_once(&sending));
            let address = if sending.base.is_none() { shown(&sending.url) } else { &endpoint }.to_owned();
            let unsent = sent.as_ref().filter(|_| !is_sent);
            let unsent = unsent.map(|key| (key, json!({ "method": sending.method, "url": sending.url })));
            let prepared = self.host.prepare(caller.spot, sending).await?;
            // Until here it may be broken off, and everybody knows that it was not sent.
            once.iter().for_each(|what| note_sent(what));
            if let Some((key, what)) = unsent {
                let what = self.host.value_from_json(what);
                self.keep(Entry {
                    key,
                    spot: caller.spot,
                    fingerprints: &fingerprint.hex(),
                    answer: Ok(&what),
                })
                .await;
                self.may_begin(caller).await;
            }
            let answer = self.host.exchange(prepared).await?;
            let led_to = self.json(&self.member(&answer, "origin"));
            let origin = led_to.as_str().unwrap_or(&endpoint);
            let answer = match led_to.is_null() {
                true => answer,
                false => self.answer_of(&answer, self.member(&answer, "body")),
            };
            // Nothing says to which address of it a redirect has led.
            let whom = if led_to.is_null() { [origin, &address] } else { [origin; 2] };
            let answered = self.accepted(request, answer, whom, is_with_secret).await;
            answered.map_err(|refused| {
                let Refused { error, is_undone } = refused;
                let longest = self.plan.retry.max_backoff_ms;
                // What an endpoint says of its load is said to all who want to go there. None waits longer than a retry does.
                if let Some(wait) = error.retry_after_ms
                    && origin == endpoint
                {
                    self.host.close(&permit, wait.min(longest));
                }
                // Whoever redirects has taken the request; what says then that it has done nothing does not speak for that.
                match once {
                    Some(what) if !(is_undone && led_to.is_null()) => refused::perhaps_done(error, &what),
                    _ => retry::too_far_away(error, longest),
                }
            })
        });
        let answer = self.journaled(caller, call, fingerprint, live).await;
        if under_way.take().is_some() {
            Limit::note_answered(caller);
        }
        answer
    }

    /// The answer, if it is a success.
    async fn accepted(
        &self,
        request: &PlannedRequest,
        answer: H::Value,
        [endpoint, address]: [&str; 2],
        is_with_secret: bool,
    ) -> Result<H::Value, Refused> {
        let status = self.json(&self.member(&answer, "status")).as_u64().unwrap_or_default();
        let is_success = match &request.success {
            None => (200..300).contains(&status),
            Some(success) => {
                let over = Flow::over(ANSWER, answer.clone());
                match self.decision(success, "the `success` expression", &over).await {
                    Ok(is_success) => is_success,
                    // An endpoint that refuses often answers in another form than else.
                    Err(_) if status >= 400 => false,
                    Err(error) => return Err(Refused { error, is_undone: false }),
                }
            }
        };
        if is_success {
            return Ok(answer);
        }
        let headers = self.json(&self.member(&answer, "headers"));
        let body = self.member(&answer, "body");
        let body = match self.host.bytes(&body) <= refused::MOST_WORDS {
            true => self.json(&body),
            false => Value::Null,
        };
        let refusal = refused::Refusal {
            endpoint,
            address,
            status: status as u16,
            headers: &headers,
            body: &body,
            is_with_secret,
        };
        Err(refused::meaning_of(&refusal, self.host.now(), &|text| self.host.time_of(text)))
    }

    /// The answers of all pages as one.
    async fn pages(
        &self,
        request: &PlannedRequest,
        pages: &PlannedPages,
        first: Sending,
        occasion: &Occasion<'_, H::Value>,
        caller: &Caller<'_>,
    ) -> Result<H::Value, Error> {
        let most = self.plan.limits.max_result_bytes.unwrap_or(MAX_LISTS);
        let (mut items, mut bytes, mut number) = (Vec::new(), 0, 1);
        let mut sending = first.clone();
        // The pages that were read, by what they had and where. The address alone does not tell: a cursor may stay the same
        // while the pages behind it change.
        let mut read = Vec::new();
        loop {
            let call =
                if number == 1 { occasion.call.to_owned() } else { format!("{}.{number}", occasion.call) };
            let place = place_of(&sending);
            let page = Flow::over(ANSWER, self.answer(request, sending, occasion, caller, &call).await?);
            let own = (Digest::of(&self.json(&self.member(&page.state, "body"))), place.clone());
            if read.contains(&own) {
                let message = "a page leads to one that was read before: the pages end with it".to_owned();
                self.host.emit(Event::Warning { spot: Some(caller.spot), code: "pages_repeat", message });
                return Ok(self.answer_of(&page.state, self.host.list(items)));
            }
            read.push(own);
            let found = match &pages.items {
                None => vec![self.member(&page.state, "body")],
                Some(expression) => {
                    let given = self.evaluate(expression, "`pages.items`", &page, &page.state).await?;
                    self.items_of(&given, items.len(), "`pages.items`")?.ok_or_else(|| {
                        Error::new(Code::Validation, format!("`pages.items` gives no list for page {number}"))
                            .with_hint("write where the list is in the answer, such as body.items")
                    })?
                }
            };
            bytes += found.iter().map(|item| self.host.bytes(item)).sum::<u64>();
            if bytes > most {
                let message = format!(
                    "the pages up to number {number} have more than {most} bytes, the limit of what is given at once"
                );
                return Err(Error::new(Code::Limit, message)
                    .with_hint("ask for fewer pages, or raise limits.maxResultBytes"));
            }
            items.extend(found);
            let Some(next) = self.following(pages, &page).await? else {
                return Ok(self.answer_of(&page.state, self.host.list(items)));
            };
            sending = match &pages.cursor {
                Some((name, _)) => Sending { url: with_parameter(&first.url, name, &next), ..first.clone() },
                // A relative address is one of the page that has it.
                None => Sending { url: next, base: Some(place), ..first.clone() },
            };
            if number >= pages.max {
                let message =
                    format!("there are more pages than {}, its `max`: they are left out", pages.max);
                self.host.emit(Event::Warning { spot: Some(caller.spot), code: "pages_left", message });
                return Ok(self.answer_of(&page.state, self.host.list(items)));
            }
            number += 1;
        }
    }

    /// What leads to the page after this one.
    async fn following(&self, pages: &PlannedPages, page: &Flow<H::Value>) -> Result<Option<String>, Error> {
        let (expression, what) = match (&pages.next, &pages.cursor) {
            (Some(next), _) => (next, "`pages.next`"),
            (None, Some((_, value))) => (value, "`pages.cursor.value`"),
            (None, None) => return Ok(None),
        };
        let given = self.json(&self.evaluate(expression, what, page, &page.state).await?);
        Ok(match given {
            Value::Null | Value::Bool(false) => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) if pages.next.is_some() => link_of(&text),
            _ if pages.next.is_some() => {
                return Err(Error::new(Code::Validation, "`pages.next` gives something else than an address")
                    .with_hint("write where the next address is in the answer, such as body.next, or use `cursor` for a value of the query"));
            }
            other => Some(rendered::printed(&other)),
        })
    }

    /// An answer as expressions see it, with this body.
    fn answer_of(&self, answer: &H::Value, body: H::Value) -> H::Value {
        let [status, headers] = ["status", "headers"].map(|key| (key, self.member(answer, key)));
        self.host.object(vec![status, headers, ("body", body)])
    }

    fn member(&self, value: &H::Value, key: &str) -> H::Value {
        self.host.member(value, key).unwrap_or_else(|| self.host.value_from_json(Value::Null))
    }

    /// The request with all its values.
    async fn rendered(
        &self,
        request: &PlannedRequest,
        occasion: &Occasion<'_, H::Value>,
    ) -> Result<Sending, Error> {
        let flow = occasion.flow;
        let url = self.address(&request.url, "`url`", flow, &flow.state).await?;
        if !request.is_all_data && leads_elsewhere(&url) {
            return Err(Error::new(
                Code::Validation,
                "a value makes `.` or `..` of a part of the `url`, which leads elsewhere",
            )
            .with_hint("give the path's values as they are called, without dots alone"));
        }
        let sent = Sent::default();
        let query = self.named_texts(&request.query, "query", &sent, flow).await?;
        let url = with_query(&url, query.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let mut headers = self.headers(&request.headers, &sent, flow).await?;
        let Body { text, parts, media_type } = self.body(request.body.as_ref(), &sent, flow).await?;
        if let Some(media_type) = media_type {
            headers.entry("content-type").or_insert(media_type.into());
        }
        Ok(Sending {
            method: request.method.word(),
            url,
            base: None,
            headers,
            body: text,
            parts,
            auth: self.credential(request, flow).await?,
            origins: request.origins.clone(),
            response: request.response.word(),
            max_bytes: request.max_bytes,
            once: !request.method.is_idempotent(),
            call_id: occasion.call_id.map(str::to_owned),
        })
    }
}

/// What a request asks for. The value of its secret is not in it.
fn fingerprint(sending: &Sending) -> Digest {
    let headers = json::text(&Value::from(sending.headers.clone()));
    let parts = sending.parts.as_ref().map(json::text).unwrap_or_default();
    let texts = [
        sending.method,
        &sending.url,
        &headers,
        sending.body.as_deref().unwrap_or_default(),
        &parts,
        sending.response,
    ];
    texts.into_iter().fold(Digest::default(), Digest::with)
}

/// What messages call a request that must not be sent twice; nothing for any other.
fn only_once(sending: &Sending) -> Option<String> {
    sending.once.then(|| format!("{} {}", sending.method, shown(&sending.url)))
}

/// An address as messages have it: what stands in its query is nobody's business.
fn shown(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Where a page is, to tell it from others.
fn place_of(Sending { url, base, .. }: &Sending) -> String {
    base.as_deref().map_or_else(|| url.clone(), |base| led_to(base, url))
}
