// Figures as people read them.

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const WHOLE = new Intl.NumberFormat("en");

export const clock = (seconds) => TIME.format(new Date(seconds * 1000));

export const whole = (number) => WHOLE.format(number ?? 0);

export function took(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  return span(ms / 1000);
}

export function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

export function chars(count) {
  if (count < 1000) return `${count}`;
  if (count < 1e6) return `${(count / 1000).toFixed(count < 1e4 ? 1 : 0)} k`;
  return `${(count / 1e6).toFixed(1)} M`;
}

export const megabytes = (mb) => (mb >= 1000 ? `${(mb / 1000).toFixed(1)} GB` : `${mb < 10 ? mb.toFixed(1) : Math.round(mb)} MB`);

export function plural(count, one, many = `${one}s`) {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

// Arguments or fields as one line.
export function line(record) {
  return Object.entries(record ?? {})
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("  ");
}
