// Talking to the service: every request carries the token of this visit, the browser adds the cookie.

const TOKEN = "sightline-token";
const PAUSES_MS = [500, 1000, 2000, 5000, 15000];
const SILENCE_MS = 40000;

export class Refused extends Error {
  constructor(status, error, message) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

export const hasVisit = () => sessionStorage.getItem(TOKEN) !== null;

export function forgetVisit() {
  sessionStorage.removeItem(TOKEN);
}

// Exchange a one-time link, or the key, for a visit.
export async function enter({ link, key }) {
  const headers = key ? { authorization: `Bearer ${key}` } : { "content-type": "application/json" };
  const body = key ? undefined : JSON.stringify({ link });
  const answer = await fetch("/dashboard/visit", { method: "POST", headers, body, credentials: "same-origin" });
  const { token } = await checked(answer);
  sessionStorage.setItem(TOKEN, token);
}

export async function leave() {
  await send("/dashboard/leave", {});
  forgetVisit();
}

export async function get(path) {
  return checked(await fetch(path, { headers: proof(), credentials: "same-origin" }));
}

export async function send(path, data) {
  const headers = { ...proof(), "content-type": "application/json" };
  return checked(await fetch(path, { method: "POST", headers, body: JSON.stringify(data), credentials: "same-origin" }));
}

function proof() {
  return { "x-sightline-token": sessionStorage.getItem(TOKEN) ?? "" };
}

async function checked(answer) {
  let data = {};
  try {
    data = await answer.json();
  } catch {
    data = { message: `the service answered ${answer.status}` };
  }
  if (!answer.ok) throw new Refused(answer.status, data.error ?? "", data.message ?? `the service answered ${answer.status}`);
  return data;
}

// Follow the events for as long as the visit lasts; goes on after the last event seen when the stream breaks.
export async function follow(onEvent, onConnection, signal) {
  let lastId = "";
  let failures = 0;
  while (!signal.aborted) {
    const silence = new Silence(signal);
    try {
      const headers = { ...proof(), accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) };
      const answer = await fetch("/dashboard/events", { headers, credentials: "same-origin", signal: silence.signal });
      if (!answer.ok) await checked(answer);
      onConnection("live");
      failures = 0;
      for await (const event of eventsOf(answer.body, silence)) {
        if (event.id) lastId = event.id;
        onEvent(event.kind, event.data);
      }
      onConnection("waiting");
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && error.status === 401) return onConnection("locked", error.message);
      onConnection("waiting", error instanceof Refused ? error.message : "the service does not answer");
    } finally {
      silence.end();
    }
    await pause(PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)], signal);
  }
}

// Gives up on a stream that says nothing: the service gives a sign of life every 15 seconds.
class Silence {
  #control = new AbortController();
  #timer = 0;

  constructor(outer) {
    this.signal = AbortSignal.any([outer, this.#control.signal]);
    this.broken();
  }

  broken() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#control.abort(), SILENCE_MS);
  }

  // Whatever ended it: a stream that nobody reads would keep its place at the service.
  end() {
    clearTimeout(this.#timer);
    this.#control.abort();
  }
}

async function* eventsOf(stream, silence) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    silence.broken();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = { id: "", kind: "message", data: "" };
      for (const text of block.split("\n")) {
        if (text.startsWith("id: ")) event.id = text.slice(4);
        else if (text.startsWith("event: ")) event.kind = text.slice(7);
        else if (text.startsWith("data: ")) event.data = text.slice(6);
      }
      if (event.data) yield { ...event, data: JSON.parse(event.data) };
    }
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
