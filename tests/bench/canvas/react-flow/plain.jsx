// As the documentation has it: memoised nodes, and each change a map over all of them.
import { ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import { memo, useCallback, useRef } from "react";
import { Card } from "./card.jsx";
import { inserted, removed, stream } from "./graph.js";
import { NameField, Side } from "./side.jsx";

const nodeTypes = { card: memo(({ data }) => <Card content={data} />) };

export function Plain({ graph }) {
  const [nodes, setNodes, onNodesChange] = useNodesState(() => graph.cards.map(({ id, x, y, ...data }) => ({ id, type: "card", position: { x, y }, data, style: { width: data.width, height: data.height }, height: data.height })));
  const [edges, setEdges, onEdgesChange] = useEdgesState(graph.edges);
  const past = useRef([]);
  const stop = useRef(() => {});
  const selected = nodes.find((node) => node.selected);
  const write = useCallback((id, change) => setNodes((all) => all.map((node) => (node.id === id ? { ...node, data: { ...node.data, ...change } } : node))), [setNodes]);
  const change = (next) => {
    past.current.push({ nodes, edges });
    setNodes(next.nodes);
    setEdges(next.edges);
  };
  const running = (on) => setNodes((all) => all.map((node) => (graph.running.includes(node.id) ? { ...node, data: { ...node.data, running: on } } : node)));
  return (
    <>
      <div className="flow" style={{ left: graph.box.x, top: graph.box.y, width: graph.box.width, height: graph.box.height }}>
        <ReactFlow nodes={nodes} edges={edges} onNodesChange={onNodesChange} onEdgesChange={onEdgesChange} nodeTypes={nodeTypes}
          defaultViewport={graph.viewport} minZoom={0.02} maxZoom={2.5} panOnScroll panOnScrollSpeed={1} />
      </div>
      <Side
        onInsert={() => {
          const next = inserted({ nodes, edges }, selected.id, (node) => ({ ...node, data: { ...node.data, name: "wait" }, selected: true }));
          change({ ...next, nodes: next.nodes.map((node) => (node.id === selected.id ? { ...node, selected: false } : node)) });
        }}
        onRemove={() => change(removed({ nodes, edges }, selected.id))}
        onUndo={() => {
          const before = past.current.pop();
          setNodes(before.nodes);
          setEdges(before.edges);
        }}
        onRun={() => {
          running(true);
          stop.current = stream(graph, (id, text) => write(id, { text }));
        }}
        onStop={() => {
          stop.current();
          running(false);
        }}>
        <NameField content={selected?.data ?? {}} write={(change) => write(selected.id, change)} />
      </Side>
    </>
  );
}
