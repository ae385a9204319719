// What stands on a card: as much as on the builder's.
import { Handle, Position } from "@xyflow/react";

export function Card({ content: { kind, name, summary, running, text } }) {
  return (
    <div className={running ? "card running" : "card"}>
      <Handle type="target" position={Position.Top} />
      <div className="head">
        <svg viewBox="0 0 24 24" className="icon"><path d="M4 4h16v16H4z M8 9h8 M8 13h5" /></svg>
        <b>{name}</b>
        {running && <svg viewBox="0 0 24 24" className="icon spin"><path d="M12 3a9 9 0 1 0 9 9" /></svg>}
      </div>
      <div className="body">{text || summary || kind}</div>
      <Handle type="source" position={Position.Bottom} />
    </div>
  );
}
