import {
  attainmentOf,
  less,
  nothing,
  plus,
  shownAmounts,
  shownSums,
  together,
  type Amounts,
  type Sums,
} from './rollup-sums.ts'
import type { ForecastRollupUser, RollupNode } from './rollup.types.ts'

/** A user with what is the user's own. */
export interface Leaf {
  readonly id: string
  readonly name: string
  readonly own: Sums
  readonly submitted: Amounts | null
}

interface Node {
  readonly shown: ForecastRollupUser
  readonly team: Sums
  readonly submitted: Amounts | null
  readonly children: readonly Node[]
}

type Tree = RollupNode & { readonly users: ForecastRollupUser[]; readonly children: unknown[] }

const byName = (a: Leaf, b: Leaf): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1)

/** The root of the tree: its sums are those of all users. */
export function treeOf(
  leaves: readonly Leaf[],
  parents: ReadonlyMap<string, string | null>,
  { hasFigures }: { readonly hasFigures: boolean },
): Tree {
  const below = Map.groupBy(leaves.toSorted(byName), ({ id }) => parents.get(id) ?? null)
  const nodeOf = (leaf: Leaf, depth: number): Node => {
    const children = (below.get(leaf.id) ?? []).map((child) => nodeOf(child, depth + 1))
    const found = summed(leaf.own, leaf.submitted, children, hasFigures)
    const { id: userId, name } = leaf
    const shown = { userId, name, parentUserId: parents.get(userId) ?? null, depth, ...found.shown }
    return { ...found, shown, children }
  }
  const children = (below.get(null) ?? []).map((leaf) => nodeOf(leaf, 1))
  const { shown } = summed(nothing, null, children, hasFigures)
  return { ...shown, users: children.flatMap(flattened), children: children.map(nested) }
}

function summed(own: Sums, given: Amounts | null, children: readonly Node[], hasFigures: boolean) {
  const team = children.reduce((sum, child) => plus(sum, child.team), own)
  const belowSubmitted = together(children.flatMap(({ submitted }) => submitted ?? []))
  const submitted = given ?? belowSubmitted
  const shown: RollupNode = {
    own: shownSums(own, hasFigures),
    team: shownSums(team, hasFigures),
    submitted: shownAmounts(submitted),
    managerAdjustment: given && belowSubmitted && shownAmounts(less(given, belowSubmitted)),
    attainmentPercent: attainmentOf(team, hasFigures),
  }
  return { shown, team, submitted }
}

const flattened = ({ shown, children }: Node): ForecastRollupUser[] => [shown, ...children.flatMap(flattened)]

const nested = ({ shown: { parentUserId: _parent, depth: _depth, ...shown }, children }: Node): unknown => ({
  ...shown,
  children: children.map(nested),
})
