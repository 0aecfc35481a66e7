/**
 * A cycle of formulas, from one of them back to it; null if there is none. The graph has the formulas and rollups of all record types by
 * unique names, such as `account.customFields.margin`, each with the names that it reads; names without an entry are plain fields.
 * The search is iterative, so the size of the graph does not matter. `from` limits it to what these formulas read.
 */
export function formulaCycle(
  graph: ReadonlyMap<string, Iterable<string>>,
  from: Iterable<string> = graph.keys(),
): string[] | null {
  const done = new Set<string>()
  for (const start of from) {
    const path: string[] = []
    const onPath = new Set<string>()
    const iterators: Iterator<string>[] = []
    const enter = (name: string): void => {
      path.push(name)
      onPath.add(name)
      iterators.push((graph.get(name) ?? [])[Symbol.iterator]())
    }
    if (!done.has(start)) enter(start)
    while (iterators.length > 0) {
      const next = iterators.at(-1)!.next()
      if (next.done) {
        iterators.pop()
        const name = path.pop()!
        onPath.delete(name)
        done.add(name)
      } else if (onPath.has(next.value)) return [...path.slice(path.indexOf(next.value)), next.value]
      else if (!done.has(next.value)) enter(next.value)
    }
  }
  return null
}
