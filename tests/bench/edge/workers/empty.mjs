// What workerd itself takes.
export default {
  fetch: () => new Response("ready"),
};
