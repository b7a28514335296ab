// Recurrences, compiled after the functions of the steps. Each item has a run of steps, which it composes to one map. A
// scan then gives it the map of all runs before, and the item steps through its run. The host defines
//   STATE, MAP                               the types
//   extend_of_source apply_of_source step_of_source
//   OPERANDS                                 global const float* p0, ulong p0_at, …   with a comma behind each
//   ARGUMENTS                                , p0 + p0_at, …

kernel void compose_runs(OPERANDS MAP nothing, global MAP* maps, ulong maps_at, ulong n, ulong run, ulong runs) {
  const ulong r = get_global_id(0);
  if (r >= runs) return;
  const ulong last = min(n, (r + 1) * run);
  MAP f = nothing;
  for (ulong i = r * run; i < last; ++i) f = extend_of_source(f, i ARGUMENTS);
  maps[maps_at + r] = f;
}

// maps[r] leads from the start to run r. The item that has the last step writes the state behind it.
kernel void step_runs(OPERANDS global const MAP* maps, ulong maps_at, global const STATE* start, ulong start_at,
                      global STATE* end, ulong end_at, ulong n, ulong run, ulong runs) {
  const ulong r = get_global_id(0);
  if (r >= runs) return;
  const ulong last = min(n, (r + 1) * run);
  STATE s = start[start_at];
  if (r > 0) s = apply_of_source(maps[maps_at + r], s);
  for (ulong i = r * run; i < last; ++i) s = step_of_source(i, s ARGUMENTS);
  if (last == n) end[end_at] = s;
}
