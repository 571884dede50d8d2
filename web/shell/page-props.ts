// What the shell hands to a page.

export interface PageComponentProps {
  /** What follows the page's own path, without slashes around it: `abc` at `/sessions/abc`; usually empty. */
  rest: string;
}
