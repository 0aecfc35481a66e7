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
      'Takes back what an operation did to at most 500 records, all of it in one transaction: what it created is deleted, what it deleted is restored, and changed fields get back their values, by the rules, rights, hooks and events of ordinary changes by the caller.',
      'A field that no longer has the value of the operation, a record that has been changed or deleted since, and a created record to which others refer, are conflicts: UNDO_CONFLICT, whose `errors` have the field, the user and the time, or with SKIP they stay.',
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
      refusals: [404, 409],
    }),
  ],
}
