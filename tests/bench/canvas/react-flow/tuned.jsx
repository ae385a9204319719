// Tuned: only what is seen is rendered, sizes and handles are given, and what stands on cards is a store of its own.
import { Position, ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import { memo, useRef, useSyncExternalStore } from "react";
import { Card } from "./card.jsx";
import { Contents } from "./contents.js";
import { inserted, removed, stream } from "./graph.js";
import { Side } from "./side.jsx";

const contents = new Contents();
const useContent = (id) => useSyncExternalStore(contents.following(id), () => contents.of(id));
const nodeTypes = { card: memo(({ id }) => <Card content={useContent(id)} />) };
const data = {};

export function Tuned({ graph }) {
  const [nodes, setNodes, onNodesChange] = useNodesState(() => graph.cards.map(nodeOf));
  const [edges, setEdges] = useEdgesState(graph.edges);
  const past = useRef([]);
  const stop = useRef(() => {});
  const selected = nodes.find((node) => node.selected)?.id;
  const change = (next) => {
    past.current.push({ nodes, edges });
    setNodes(next.nodes);
    setEdges(next.edges);
  };
  return (
    <>
      <div className="flow" style={{ left: graph.box.x, top: graph.box.y, width: graph.box.width, height: graph.box.height }}>
        <ReactFlow nodes={nodes} edges={edges} onNodesChange={onNodesChange} nodeTypes={nodeTypes} defaultViewport={graph.viewport} minZoom={0.02} maxZoom={2.5}
          panOnScroll panOnScrollSpeed={1} onlyRenderVisibleElements nodesConnectable={false} edgesFocusable={false} edgesReconnectable={false} elevateNodesOnSelect={false} />
      </div>
      <Named id={selected} onInsert={() => {
          const next = inserted({ nodes, edges }, selected, (node) => ({ ...node, selected: true }));
          contents.write(next.id, { ...contents.of(selected), name: "wait" });
          change({ ...next, nodes: next.nodes.map((node) => (node.id === selected ? { ...node, selected: false } : node)) });
        }}
        onRemove={() => change(removed({ nodes, edges }, selected))}
        onUndo={() => {
          const before = past.current.pop();
          setNodes(before.nodes);
          setEdges(before.edges);
        }}
        onRun={() => {
          for (const id of graph.running) contents.write(id, { running: true });
          stop.current = stream(graph, (id, text) => contents.writeSoon(id, { text }));
        }}
        onStop={() => {
          stop.current();
          for (const id of graph.running) contents.write(id, { running: false });
        }} />
    </>
  );
}

/** The field beside the graph follows the card alone, so that a key renders nothing else. */
function Named({ id, ...acts }) {
  const { name = "" } = useContent(id);
  return <Side name={name} onName={(name) => contents.write(id, { name })} {...acts} />;
}

function nodeOf({ id, x, y, width, height, ...content }) {
  contents.write(id, content);
  const handle = (type, position, y) => ({ type, position, x: width / 2 - 3, y, width: 6, height: 6 });
  return { id, type: "card", position: { x, y }, data, width, height, handles: [handle("target", Position.Top, -3), handle("source", Position.Bottom, height - 3)] };
}
