// Python in a thread of its own: the page stays alive while it computes.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const python = (async () => {
  const runtime = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const archive = await (await fetch(new URL("./python.zip", import.meta.url))).arrayBuffer();
  runtime.unpackArchive(archive, "zip");
  return runtime.pyimport("answers");
})();

onmessage = async ({ data: { id, call, request } }) => {
  try {
    const answers = await python;
    postMessage({ id, result: JSON.parse(request === undefined
      ? answers[call]() : answers[call](JSON.stringify(request))) });
  } catch (error) {
    postMessage({ id, failure: String(error.message ?? error) });
  }
};
