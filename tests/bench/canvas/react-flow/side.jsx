// What a person acts with beside the graph.
import { useEffect } from "react";

export function Side({ children, onInsert, onRemove, onUndo, onRun, onStop }) {
  useEffect(() => {
    const press = ({ key, target }) => key === "Delete" && target.localName !== "input" && onRemove();
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return (
    <div className="side">
      {children}
      <button onClick={onInsert}>Insert</button>
      <button onClick={onUndo}>Undo</button>
      <button onClick={onRun}>Run</button>
      <button onClick={onStop}>Stop</button>
    </div>
  );
}

export function NameField({ content: { name = "" }, write }) {
  return <input aria-label="Name" value={name} onChange={({ target }) => write({ name: target.value })} />;
}
