// Tuned, and with two of the things that an editor has beside its graph: a form for the selected node, with what the
// builder's form for such a step has, and a database that has each change as it is made.
import { memo } from "react";
import { Log } from "./log.js";
import { Tuned } from "./tuned.jsx";

const log = await Log.open();
const keep = (change) => log.add(change);

export const Editor = ({ graph }) => <Tuned graph={graph} Form={Form} keep={keep} />;

function Form({ id, content, write }) {
  if (id === undefined) return null;
  const { kind, name = "" } = content;
  return (
    <aside className="form">
      <header>
        <svg viewBox="0 0 24 24" className="icon"><path d="M4 4h16v16H4z M8 9h8 M8 13h5" /></svg>
        <div><h2>{name}</h2><small>{kind} · {id}</small></div>
        <button className="icon-button" aria-label="Duplicate"><svg viewBox="0 0 24 24" className="icon"><path d="M8 8h12v12H8z M4 16V4h12" /></svg></button>
        <button className="icon-button" aria-label="Remove"><svg viewBox="0 0 24 24" className="icon"><path d="M5 7h14 M9 7V4h6v3 M7 7l1 13h8l1-13" /></svg></button>
      </header>
      <Field label="Name"><input value={name} onChange={({ target }) => write({ name: target.value })} /></Field>
      {kind === "wait" ? <Wait content={content} write={write} /> : <Agent content={content} write={write} />}
      <details><summary>More</summary></details>
    </aside>
  );
}

const Field = ({ label, hint, children }) => (
  <label className="field">
    <span className="label">{label}</span>
    {children}
    {hint && <small className="hint">{hint}</small>}
  </label>
);

const Wait = memo(({ content: { way = "ms", ms = "5" }, write }) => (
  <>
    <Field label="Wait">
      <select value={way} onChange={({ target }) => write({ way: target.value })}>
        <option value="ms">for a while</option>
        <option value="until">until a time</option>
      </select>
    </Field>
    <Field label="Milliseconds" hint={`${ms} ms`}><input value={ms} onChange={({ target }) => write({ ms: target.value })} /></Field>
  </>
), sameFields);

const Agent = memo(({ content: { agent = "m0", summary = "" }, write }) => (
  <>
    <Field label="Agent">
      <select value={agent} onChange={({ target }) => write({ agent: target.value })}>
        <option value="m0">m0</option>
        <option value="m1">m1</option>
      </select>
    </Field>
    <Field label="Prompt"><textarea rows={4} value={summary} onChange={({ target }) => write({ summary: target.value })} /></Field>
  </>
), sameFields);

/** A key in the name renders the name alone. */
function sameFields({ content: before, write: wrote }, { content, write }) {
  return wrote === write && ["way", "ms", "agent", "summary"].every((key) => before[key] === content[key]);
}
