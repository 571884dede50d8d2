/** MediaPipe's face mesh: 468 surface points and 5 for each iris. */
export const LANDMARK_COUNT = 478;

/** Points of the mesh with a name (MediaPipe canonical face model). "Right" is the subject's right, on the picture's left. */
export const MESH = {
  foreheadTop: 10,
  chin: 152,
  rightCheek: 234,
  leftCheek: 454,
  rightIris: 468,
  leftIris: 473,
} as const;

/** Three numbers a point: x and y in pixels, z in pixels too and negative towards the viewer. */
export type Landmarks = Float32Array;

export interface FaceGeometry {
  /** Between the centres of the irises. */
  interocularPx: number;
  /** From the top of the forehead to the chin. */
  heightPx: number;
  centre: { x: number; y: number };
  /** Degrees; positive turns the face towards the picture's right, down, and clockwise. */
  yaw: number;
  pitch: number;
  roll: number;
}

export function point(landmarks: Landmarks, index: number): { x: number; y: number; z: number } {
  return { x: landmarks[index * 3] ?? 0, y: landmarks[index * 3 + 1] ?? 0, z: landmarks[index * 3 + 2] ?? 0 };
}

export function faceGeometry(landmarks: Landmarks): FaceGeometry {
  const forehead = point(landmarks, MESH.foreheadTop);
  const chin = point(landmarks, MESH.chin);
  const right = point(landmarks, MESH.rightCheek);
  const left = point(landmarks, MESH.leftCheek);
  const rightIris = point(landmarks, MESH.rightIris);
  const leftIris = point(landmarks, MESH.leftIris);
  const degrees = (radians: number) => (radians * 180) / Math.PI;
  const heightPx = Math.hypot(chin.x - forehead.x, chin.y - forehead.y);
  return {
    interocularPx: Math.hypot(leftIris.x - rightIris.x, leftIris.y - rightIris.y),
    heightPx,
    centre: { x: (forehead.x + chin.x) / 2, y: (forehead.y + chin.y) / 2 },
    yaw: degrees(Math.atan2(left.z - right.z, Math.hypot(left.x - right.x, left.y - right.y))),
    pitch: degrees(Math.atan2(chin.z - forehead.z, heightPx)),
    roll: degrees(Math.atan2(leftIris.y - rightIris.y, leftIris.x - rightIris.x)),
  };
}
