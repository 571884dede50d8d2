/** Now, in whole epoch seconds: the unit of every `*_at` on the wire and in the tables. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
