// Reads an event stream as a client of the Worker does.

/** The events of a response, each with the moment at which it arrived. */
export async function* eventsOf(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split("\n\n");
    text = parts.pop();
    for (const part of parts) yield { ...parsed(part), at: performance.now() };
  }
  if (text !== "") throw new Error(`the stream broke off after ${JSON.stringify(text)}`);
}

/** All events of a response. */
export async function allEventsOf(response) {
  const events = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

function parsed(part) {
  const { id, event, data } = Object.fromEntries(part.split("\n").map((line) => /^(\w+): (.*)$/.exec(line).slice(1)));
  return { id, event, data: JSON.parse(data) };
}
