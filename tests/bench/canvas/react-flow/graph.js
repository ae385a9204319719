// Changes of a graph, which give new lists of nodes and edges.

/** The space between two cards below each other, as in the builder. */
const GAP = 24;

/** Puts a node behind another one; all below make room. */
export function inserted({ nodes, edges }, after, make) {
  const before = nodes.find(({ id }) => id === after);
  const id = `new-${crypto.randomUUID()}`;
  const way = before.height + GAP;
  const added = make({ ...before, id, position: { x: before.position.x, y: before.position.y + way } });
  const moved = shifted(nodes, before.position.y, way);
  const rewired = edges.map((edge) => (edge.source === after ? { ...edge, id: `${id}-${edge.target}`, source: id } : edge));
  return { id, nodes: [...moved, added], edges: [...rewired, { id: `${after}-${id}`, source: after, target: id }] };
}

/** Takes a node out; all below move up, and what it was connected to is connected. */
export function removed({ nodes, edges }, id) {
  const gone = nodes.find((node) => node.id === id);
  const before = edges.find(({ target }) => target === id)?.source;
  const left = nodes.filter((node) => node !== gone);
  const rewired = edges.filter(({ target }) => target !== id).map((edge) => (edge.source === id ? { ...edge, id: `${before}-${edge.target}`, source: before } : edge));
  return { nodes: shifted(left, gone.position.y, -gone.height - GAP), edges: rewired };
}

function shifted(nodes, below, way) {
  return nodes.map((node) => (node.position.y > below ? { ...node, position: { x: node.position.x, y: node.position.y + way } } : node));
}

/** Streams to the cards that are in lanes: `write` gets the id of a card and its text, at the pace of the builder's endpoint. */
export function stream({ lanes, paceMs }, write) {
  const timers = lanes.map((id) => {
    let text = "";
    let sent = 0;
    return setInterval(() => write(id, (text += `word${(sent += 1)} `).slice(-200)), paceMs);
  });
  return () => timers.forEach(clearInterval);
}
