import { Ctx, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { IdentityContext } from '../context.ts'
import { describeRecordType, recordTypes } from './describe-record-type.ts'
import { RecordTypeDescription, RecordTypeSummary } from './record-type.types.ts'

@Resolver()
export class RecordTypeResolver {
  @Query(() => [RecordTypeSummary], {
    description: 'The record types, and what the caller may do with their records. Every credential may ask.',
  })
  @RequiresScopes(memberScope)
  recordTypes(@Ctx() ctx: IdentityContext) {
    return recordTypes(ctx)
  }

  @Query(() => RecordTypeDescription, {
    description:
      'Describes a record type for the caller: the fields that it may read, set and change, and the operations that it may call. Every credential may ask.',
  })
  @RequiresScopes(memberScope)
  recordType(
    @ValueArg('object', () => String, {
      max: 100,
      filled: true,
      description: 'Name of the record type, as in event types: account, case_comment.',
      example: 'opportunity',
    })
    object: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return describeRecordType(ctx, object)
  }
}

export const recordTypeResource: Resource = {
  resolver: RecordTypeResolver,
  operations: [
    operation('GET /v1/describe', 'recordTypes', {
      summary: 'List record types',
      answers: 'The record types by name.',
    }),
    operation('GET /v1/describe/{object}', 'recordType', {
      summary: 'Describe a record type',
      answers: 'The record type with its fields and operations.',
    }),
  ],
}
