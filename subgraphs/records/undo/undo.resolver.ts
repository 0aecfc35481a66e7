import { Ctx, Mutation, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { undo } from './undo.ts'
import { UndoInput, UndoResult } from './undo.types.ts'

@Resolver()
export class UndoResolver {
  @Mutation(() => UndoResult, {
    name: 'undo',
    description: [
      'Takes back what an operation did: what it created is deleted, what it deleted is restored, and changed fields get back their values, by the rules, rights, hooks and events of ordinary changes by the caller.',
      'At most 500 records, 5,000 changes and 16 MB are undone at once, all of it in one transaction, unless more than 5,000 parts of it would stay. What is more, up to 1,000,000 changes, is undone by a job: `isComplete` is then false, and `job` has its id.',
      'A field that no longer has the value of the operation, a record that has been changed or deleted since, and a created record to which others refer, are conflicts: UNDO_CONFLICT, whose `errors` have the field, the user and the time, or with SKIP they stay.',
      'A job undoes 200 records in a transaction, the last ones first. With REFUSE it compares all of them before it changes the first, and FAILED with UNDO_CONFLICT has changed nothing; `notUndone` of its results has the conflicts. What is found later, such as a change meanwhile, or what a rule or hook refuses, does not stop it and is in `notUndone`.',
      'It has the rights that the user, and the scopes that the key or app has meanwhile, and is FAILED if the user is not active or the credential revoked: what it had undone stays so. The jobs of an organization take turns, and at most 10 may be unfinished; more are LIMIT_REACHED, as are more than 1,000 jobs of seven days, and more than 4,000,000 records and results that these store.',
      'With `dryRun` a job compares only: its results say what would be undone as far as values, references and rights decide. `Prefer: dry-run` is refused where a job would be created.',
      'Records that the caller does not see are not told and stay. Each record type needs its WRITE scope. Fields that only the platform sets follow from the others as far as its rules say; `notUndone` has the rest, and what cannot be taken back, such as mails that were sent.',
      'NOT_FOUND if the caller sees no change of the operation, or its events are not kept any more: at least 30 days are. An undo is an operation itself and can be undone.',
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  undoOperation(@InputArg(() => UndoInput) input: UndoInput, @Ctx() ctx: RequestContext): Promise<UndoResult> {
    return undo(ctx, input)
  }
}

export const undoResource: Resource = {
  resolver: UndoResolver,
  operations: [
    operation('POST /v1/undo', 'undo', {
      summary: 'Undo an operation',
      answers: 'What was undone, and what was not.',
      unless: { flag: 'isComplete', status: 202, answers: 'The job that undoes what is too much for one answer.' },
      refusals: [404, 409],
    }),
  ],
}
