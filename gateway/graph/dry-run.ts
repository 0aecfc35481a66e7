import {
  DirectiveLocation,
  getDirectiveValues,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLNonNull,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { notInDryRun, type DryRunMode } from '../../subgraphs/kernel/dry-run.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { refuseUnlessTogether } from './atomic.ts'
import { MutationDirective } from './mutation-directive.ts'

// `mutation @dryRun`: all root fields are carried out in one transaction, which is rolled back. The gateway checks and removes the directive, and
// tells the subgraph. `Prefer: dry-run` is the same for a whole request.

const dryRunDirective = new GraphQLDirective({
  name: 'dryRun',
  locations: [DirectiveLocation.MUTATION],
  description: [
    'The mutation is tried: all root fields are carried out in one transaction, with all checks, and nothing is kept. The answer is as it would be; `extensions.dryRun` has the `events` that would have been written',
    '(`type`, `object`, `recordId`, `changedFields`; at most 500, of records that the caller sees), and `notExecuted`: the hooks that would have decided and the mails that would have been queued.',
    'What follows from committed events, such as webhooks and automations, is not tried. Fields of other domains in the answer are read as they are now. Ids, numbers and times of an answer are other ones when the mutation is carried out.',
    'The fields must belong to one domain. What needs an answer from outside, such as that of a language model or a function, and what signs somebody in or takes a password, is refused with DRY_RUN_NOT_SUPPORTED before it happens. A credential in the answer opens nothing. An `Idempotency-Key` has no effect. `Prefer: dry-run` and `Prefer: dry-run=hooks` do the same.',
  ].join(' '),
  args: {
    hooks: {
      type: new GraphQLNonNull(GraphQLBoolean),
      defaultValue: false,
      description: 'Whether hooks of the organization are called. They cannot see that it is a dry run.',
    },
  },
})

export const dryRun = new MutationDirective(dryRunDirective)

function refuseVariable(): never {
  const code = 'GRAPHQL_VALIDATION_FAILED'
  const message = 'hooks of @dryRun must be true or false, and no variable.'
  throw new Refusal(code, message, { errors: [{ path: 'query', code, message }] })
}

/** How the document asks for a dry run; null if it does not. The argument is a literal, because it decides how the operation runs. */
export function dryRunIn(operation: OperationDefinitionNode): DryRunMode | null {
  const given = getDirectiveValues(dryRunDirective, operation)
  if (!given) return null
  const argument = operation.directives!.find(({ name }) => name.value === dryRunDirective.name)!.arguments?.[0]
  if (argument?.value.kind === Kind.VARIABLE) refuseVariable()
  return given['hooks'] === true ? 'HOOKS' : 'CHANGES'
}

interface Mutations {
  readonly mutationOwners: ReadonlyMap<string, string>
  readonly notInDryRun: ReadonlySet<string>
}

/** Refuses a dry run of root fields, as `Mutation.field`, that cannot be tried, or not together. */
export function refuseUntriable(mutations: Mutations, rootFields: readonly string[]): void {
  const untriable = rootFields.find((field) => mutations.notInDryRun.has(field))
  if (untriable) throw notInDryRun(untriable.slice(untriable.indexOf('.') + 1))
  const { mutationOwners, notInDryRun: onePerRequest } = mutations
  refuseUnlessTogether({ mutationOwners, onePerRequest }, rootFields, 'in a dry run')
}
