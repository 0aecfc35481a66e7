import { DirectiveLocation, GraphQLDirective, Kind, type DocumentNode } from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { MutationDirective } from './mutation-directive.ts'

// `mutation @atomic`: all root fields commit in one transaction, or none. The gateway checks and removes the directive, and tells the subgraph.

export const atomic = new MutationDirective(
  new GraphQLDirective({
    name: 'atomic',
    locations: [DirectiveLocation.MUTATION],
    description: [
      'All root fields of the mutation are carried out in one transaction, or none: if one is refused, all are null, the errors name the refused ones, and nothing has changed.',
      'The fields must belong to one domain; otherwise the mutation is refused with 400 before anything runs, and so are fields that sign in or out.',
      'What a field causes outside of the platform, such as the call of a hook, is not taken back.',
      'A refused mutation keeps no answer for its `Idempotency-Key`, so the same key carries it out again.',
    ].join(' '),
  }),
)

/** The names of the subgraphs that have the mutations, by `Mutation.field`. */
export function mutationOwners(supergraph: DocumentNode): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || definition.name.value !== 'Mutation') continue
    for (const { name, directives = [] } of definition.fields ?? []) {
      const graph = directives
        .find((one) => one.name.value === 'join__field')
        ?.arguments?.find((argument) => argument.name.value === 'graph')?.value
      if (graph?.kind === Kind.ENUM) owners.set(`Mutation.${name.value}`, graph.value.toLowerCase())
    }
  }
  return owners
}

interface Mutations {
  readonly mutationOwners: ReadonlyMap<string, string>
  readonly onePerRequest: ReadonlySet<string>
}

function refuse(message: string): never {
  const code = 'GRAPHQL_VALIDATION_FAILED'
  throw new Refusal(code, message, { errors: [{ path: 'query', code, message }] })
}

/** Refuses a mutation whose root fields, as `Mutation.field`, cannot run in one transaction. `how` says why they must. */
export function refuseUnlessTogether(
  { mutationOwners, onePerRequest }: Mutations,
  rootFields: readonly string[],
  how = 'with @atomic',
): void {
  const nameOf = (field: string): string => field.slice(field.indexOf('.') + 1)
  const alone = rootFields.find((field) => onePerRequest.has(field))
  if (alone) refuse(`@atomic must not be used with ${nameOf(alone)}.`)
  const first = new Map<string, string>()
  for (const field of rootFields) {
    const owner = mutationOwners.get(field) ?? ''
    if (!first.has(owner)) first.set(owner, nameOf(field))
  }
  if (first.size <= 1) return
  const named = Array.from(first, ([owner, name]) => `${name} to ${owner}`).join(', ')
  refuse(`The root fields of a mutation ${how} must belong to one domain: ${named}.`)
}
