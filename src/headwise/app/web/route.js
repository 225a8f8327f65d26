// Where one is: `#/search?q=…`, `#/documents`, `#/document/PATH?line=12`, `#/health`.

/** The view, the path behind it and the parameters that a hash names; anything unknown is the search. */
export function parse(hash) {
  const [place, query = ""] = split(hash.replace(/^#\/?/, ""), "?");
  const [view, path = ""] = split(place, "/");
  const params = new URLSearchParams(query);
  return { view: view || "search", path: path.split("/").map(decode).join("/"), params };
}

/** The hash of a view; parameters that are empty are left out. */
export function link(view, path = "", params = {}) {
  const kept = Object.entries(params).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(kept).toString();
  return `#/${view}${path && `/${encodePath(path)}`}${query && `?${query}`}`;
}

/** A path, percent-encoded but for its slashes. */
export const encodePath = (path) => path.split("/").map(encodeURIComponent).join("/");

function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand: a lone percent sign
  }
}
