const EPSILON = 1e-9;

const subtract = (p, q) => ({ x: p.x - q.x, y: p.y - q.y });

const cross = (p, q) => p.x * q.y - p.y * q.x;

function intersect(first, second) {
  const r = subtract(first.end, first.start);
  const s = subtract(second.end, second.start);
  const bottom = cross(r, s);
  if (Math.abs(bottom) < EPSILON) return null;
  const between = subtract(second.start, first.start);
  const t = cross(between, s) / bottom;
  const u = cross(between, r) / bottom;
  const inside = t >= 0 && t <= 1 && u >= 0 && u <= 1;
  return inside ? { x: first.start.x + t * r.x, y: first.start.y + t * r.y } : null;
}

function area(...points) {
  return 0.5 * points.reduce((sum, point, i) => sum + cross(point, points[(i + 1) % points.length]), 0);
}

function center(points) {
  const middle = { x: 0, y: 0 };
  points.forEach(({ x, y }) => {
    middle.x += x / points.length;
    middle.y += y / points.length;
  });
  return middle;
}

function rotate(points, angle) {
  const [c, s, m] = [Math.cos(angle), Math.sin(angle), center(points)];
  return points.map((point) => {
    const d = subtract(point, m);
    return { x: m.x + d.x * c - d.y * s, y: m.y + d.x * s + d.y * c };
  });
}

export { area, intersect, rotate };
