// React Flow with the cards of a graph, as its documentation has it, tuned, or as part of an editor; the query says which.
import "@xyflow/react/dist/style.css";
import "./page.css";
import { createRoot } from "react-dom/client";
import { Plain } from "./plain.jsx";
import { Tuned } from "./tuned.jsx";

const query = new URLSearchParams(location.search);
const graph = await (await fetch(`graph/${query.get("graph")}`)).json();
const Shown = { plain: Plain, tuned: Tuned }[query.get("how")] ?? (await import("./editor.jsx")).Editor;
createRoot(document.getElementById("root")).render(<Shown graph={graph} />);
