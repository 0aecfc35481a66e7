import type { ComponentStep } from '../../kernel/metadata/component.ts'

/**
 * Steps in the order in which they run: by phase, and each after those that provide what it needs. What needs each other in a circle, such as names
 * that two record types have, keeps its order.
 */
export function inOrder<S extends Pick<ComponentStep, 'phase' | 'provides' | 'needs'>>(steps: readonly S[]): S[] {
  // Those of the first phases are at the end of the lists.
  const providers = new Map<string, S[]>()
  for (const step of steps.toSorted((one, other) => other.phase - one.phase))
    for (const word of new Set(step.provides)) {
      const all = providers.get(word)
      if (all) all.push(step)
      else providers.set(word, [step])
    }
  const done = new Set<S>()
  const ordered: S[] = []
  /** The next step that must run before one of the phase, which needs the words. What is done is taken from the lists, so that each is read once. */
  const nextOf = (words: string[], phase: number): S | null => {
    for (; words.length > 0; words.pop()) {
      const left = providers.get(words.at(-1)!) ?? []
      while (left.length > 0 && left.at(-1)!.phase <= phase) {
        const step = left.pop()!
        if (!done.has(step)) return step
      }
    }
    return null
  }
  const visit = (first: S): void => {
    // Without recursion, because a chain of formulas may be long.
    const path: { readonly step: S; readonly words: string[] }[] = []
    const enter = (step: S): void => {
      done.add(step)
      path.push({ step, words: [...new Set(step.needs)] })
    }
    if (!done.has(first)) enter(first)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = nextOf(top.words, top.step.phase)
      if (next) enter(next)
      else ordered.push(path.pop()!.step)
    }
  }
  for (const step of steps.toSorted((one, other) => one.phase - other.phase)) visit(step)
  return ordered.toSorted((one, other) => one.phase - other.phase)
}
