import {
  Kind,
  parse,
  print,
  visit,
  type DefinitionNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { relatedProperty, type Shape, type Shaping } from './shaping.ts'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

const fragmentsIn = (definitions: readonly DefinitionNode[]): [string, FragmentDefinitionNode][] =>
  definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : []))

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

/** The fields of a record, with those of the fragments that its selection spreads. */
const fieldsIn = ({ selections }: SelectionSetNode, fragments: Fragments): FieldNode[] =>
  selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node]
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)!
    return fieldsIn(inner.selectionSet, fragments)
  })

const inField = (field: FieldNode, name: string): FieldNode | undefined =>
  field.selectionSet?.selections.find((node): node is FieldNode => node.kind === Kind.FIELD && keyOf(node) === name)

const name = (value: string) => ({ kind: Kind.NAME, value }) as const
const field = (value: string): FieldNode => ({ kind: Kind.FIELD, name: name(value) })

/** The alias under which a document reads the record that a lookup names. */
export const lookupAlias = (key: string): string => `${relatedProperty}_${key}`

/** The record that a lookup names: `related_site: related(field: "site") { object id name record }`. */
const lookupSelection = (key: string): FieldNode => ({
  ...field(relatedProperty),
  alias: name(lookupAlias(key)),
  arguments: [{ kind: Kind.ARGUMENT, name: name('field'), value: { kind: Kind.STRING, value: key } }],
  selectionSet: { kind: Kind.SELECTION_SET, selections: ['object', 'id', 'name', 'record'].map(field) },
})

/** The operation with another selection of the record, which is the result, or an item of `data` in a page. */
function withRecord(
  operation: OperationDefinitionNode,
  change: (set: SelectionSetNode) => SelectionSetNode,
): OperationDefinitionNode {
  const [result] = operation.selectionSet.selections as [FieldNode]
  const data = inField(result, 'hasMore') && inField(result, 'data')
  const changed = (field: FieldNode): FieldNode => ({ ...field, selectionSet: change(field.selectionSet!) })
  const selections = data
    ? result.selectionSet!.selections.map((node) => (node === data ? changed(data) : node))
    : change(result.selectionSet!).selections
  const root = { ...result, selectionSet: { ...result.selectionSet!, selections } }
  return { ...operation, selectionSet: { ...operation.selectionSet, selections: [root] } }
}

/** The names of the fragments and variables that a part of a document uses, also through fragments. */
function usedIn(part: SelectionSetNode, fragments: Fragments) {
  const used = { fragments: new Set<string>(), variables: new Set<string>() }
  const note = (node: SelectionSetNode): void => {
    visit(node, {
      Variable: ({ name }) => void used.variables.add(name.value),
      FragmentSpread({ name: { value } }) {
        if (used.fragments.has(value)) return
        used.fragments.add(value)
        note(fragments.get(value)!.selectionSet)
      },
    })
  }
  note(part)
  return used
}

/**
 * The stored document of a read that selects only what the caller chose, and the related records. The fields in `always` are selected
 * whatever the caller chose.
 */
export function shapedDocument(
  stored: string,
  { relations }: Shaping,
  { only, expand, lookups }: Shape,
  always: readonly string[],
): string {
  const { definitions } = parse(stored, { noLocation: true })
  const chosen = expand.flatMap((name) => [...relations.get(name)!])
  const fragments: Fragments = new Map([
    ...fragmentsIn(definitions),
    ...chosen.flatMap(([, text]) => fragmentsIn(parse(text, { noLocation: true }).definitions)),
  ])
  // The first fragment of each relation is the one that is spread.
  const spreads = expand.map((relation): SelectionNode => {
    const [fragment] = relations.get(relation)!.keys()
    return { kind: Kind.FRAGMENT_SPREAD, name: name(fragment!) }
  })
  const whole = definitions.find((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION)!
  const operation = withRecord(whole, (set) => {
    const kept = only
      ? fieldsIn(set, fragments).filter((node) => only.has(keyOf(node)) || always.includes(keyOf(node)))
      : set.selections
    return { ...set, selections: [...kept, ...spreads, ...lookups.map(lookupSelection)] }
  })
  const used = usedIn(operation.selectionSet, fragments)
  const variableDefinitions = whole.variableDefinitions?.filter(({ variable }) =>
    used.variables.has(variable.name.value),
  )
  return print({
    kind: Kind.DOCUMENT,
    definitions: [
      { ...operation, ...(variableDefinitions && { variableDefinitions }) },
      ...[...used.fragments].map((name) => fragments.get(name)!),
    ],
  })
}
