/** The id that follows a page's path, as it was before it became part of an address. */
export function idFromRest(rest: string): string {
  try {
    return decodeURIComponent(rest);
  } catch {
    // An address typed by hand may hold a lone percent sign.
    return rest;
  }
}
