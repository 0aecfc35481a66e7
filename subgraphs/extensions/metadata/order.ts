import type { ComponentStep } from '../../kernel/metadata/component.ts'

/**
 * Steps in the order in which they run: by phase, and each after those that provide what it needs. What needs each other in a circle, such as names
 * that two record types have, keeps its order.
 */
export function inOrder<S extends Pick<ComponentStep, 'phase' | 'provides' | 'needs'>>(steps: readonly S[]): S[] {
  const providers = new Map<string, S[]>()
  for (const step of steps)
    for (const word of step.provides) providers.set(word, [...(providers.get(word) ?? []), step])
  const done = new Set<S>()
  const ordered: S[] = []
  const visit = (first: S): void => {
    // Without recursion, because a chain of formulas may be long.
    const path: { readonly step: S; readonly needs: S[] }[] = []
    const enter = (step: S): void => {
      done.add(step)
      path.push({ step, needs: step.needs.flatMap((word) => providers.get(word) ?? []) })
    }
    if (!done.has(first)) enter(first)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.needs.pop()
      if (next === undefined) ordered.push(path.pop()!.step)
      else if (!done.has(next) && next.phase <= top.step.phase) enter(next)
    }
  }
  for (const step of steps.toSorted((one, other) => one.phase - other.phase)) visit(step)
  return ordered.toSorted((one, other) => one.phase - other.phase)
}
