// A face in profile, looking right; its mirror image looks back at it. The mark of the house, drawn for it.

/** Units of the path below; the crown rises above the origin. */
export const profileBox = { width: 330, top: -70, height: 870 } as const;

export const profilePath = [
  "M0 -70 C46 -66 86 -38 120 0",
  // Forehead, brow, and the dip at the root of the nose.
  "C196 40 238 118 244 204 C246 236 254 252 250 274 C247 290 246 300 252 316",
  // Bridge and tip of the nose, and back under it.
  "C262 346 286 382 307 409 C320 426 315 444 295 449 C283 452 272 455 268 464",
  // Upper lip, the mouth, lower lip.
  "C265 474 270 482 280 490 C294 500 296 512 284 520 C276 524 270 525 266 527",
  "C276 531 290 538 286 554 C283 566 268 568 266 582",
  // Chin, jaw and neck.
  "C265 598 280 608 276 636 C271 664 238 680 200 678 C168 676 140 676 126 700 C112 728 120 768 136 800",
  "H0 Z",
].join(" ");
