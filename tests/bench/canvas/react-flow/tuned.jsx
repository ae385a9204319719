// Tuned: only what is seen is rendered, sizes and handles are given, and what stands on cards is a store of its own.
import { Position, ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import { memo, useCallback, useRef, useSyncExternalStore } from "react";
import { Card } from "./card.jsx";
import { Contents } from "./contents.js";
import { inserted, removed, stream } from "./graph.js";
import { NameField, Side } from "./side.jsx";

const contents = new Contents();
const useContent = (id) => useSyncExternalStore(contents.following(id), () => contents.of(id));
const nodeTypes = { card: memo(({ id }) => <Card content={useContent(id)} />) };
const data = {};

/** `Form` is what the selected node is changed by, and `keep` gets each change. */
export function Tuned({ graph, Form = NameField, keep = () => {} }) {
  const [nodes, setNodes, onNodesChange] = useNodesState(() => graph.cards.map(nodeOf));
  const [edges, setEdges] = useEdgesState(graph.edges);
  const past = useRef([]);
  const stop = useRef(() => {});
  const selected = nodes.find((node) => node.selected)?.id;
  const change = (next, kept) => {
    past.current.push({ nodes, edges });
    setNodes(next.nodes);
    setEdges(next.edges);
    keep(kept);
  };
  return (
    <>
      <div className="flow" style={{ left: graph.box.x, top: graph.box.y, width: graph.box.width, height: graph.box.height }}>
        <ReactFlow nodes={nodes} edges={edges} onNodesChange={onNodesChange} nodeTypes={nodeTypes} defaultViewport={graph.viewport} minZoom={0.02} maxZoom={2.5}
          panOnScroll panOnScrollSpeed={1} onlyRenderVisibleElements nodesConnectable={false} edgesFocusable={false} edgesReconnectable={false} elevateNodesOnSelect={false} />
      </div>
      <Side
        onInsert={() => {
          const next = inserted({ nodes, edges }, selected, (node) => ({ ...node, selected: true }));
          contents.write(next.id, { ...contents.of(selected), name: "wait" });
          change({ ...next, nodes: next.nodes.map((node) => (node.id === selected ? { ...node, selected: false } : node)) }, { inserted: contents.of(next.id), behind: selected });
        }}
        onRemove={() => change(removed({ nodes, edges }, selected), { removed: selected })}
        onUndo={() => {
          const before = past.current.pop();
          setNodes(before.nodes);
          setEdges(before.edges);
          keep({ undone: past.current.length });
        }}
        onRun={() => {
          for (const id of graph.running) contents.write(id, { running: true });
          stop.current = stream(graph, (id, text) => contents.writeSoon(id, { text }));
        }}
        onStop={() => {
          stop.current();
          for (const id of graph.running) contents.write(id, { running: false });
        }}>
        <Selected id={selected} Form={Form} keep={keep} />
      </Side>
    </>
  );
}

/** The form beside the graph follows the card alone, so that a key renders nothing else. */
function Selected({ id, Form, keep }) {
  const content = useContent(id);
  const write = useCallback((change) => {
    contents.write(id, change);
    keep({ id, change });
  }, [id, keep]);
  return <Form id={id} content={content} write={write} />;
}

function nodeOf({ id, x, y, width, height, ...content }) {
  contents.write(id, content);
  const handle = (type, position, y) => ({ type, position, x: width / 2 - 3, y, width: 6, height: 6 });
  return { id, type: "card", position: { x, y }, data, width, height, handles: [handle("target", Position.Top, -3), handle("source", Position.Bottom, height - 3)] };
}
