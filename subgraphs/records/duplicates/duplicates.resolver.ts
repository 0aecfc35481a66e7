import { Ctx, Int, Query, Resolver } from 'type-graphql'
import { withCustomObject } from '../../kernel/extension/with-custom-object.ts'
import { CustomObjectArg, IdArg } from '../../kernel/record/args.ts'
import { customObjectScope } from '../../kernel/record/custom-object.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { RequiresScopes, scopeOf } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { duplicatesOf, duplicatesWith } from './duplicates.ts'
import { DuplicateList } from './duplicates.types.ts'

const limits =
  'Only live records that the caller sees are found, and a comparison of a field that the profile of the caller hides is left out. Of each key, the 500 oldest records are compared, and at most 2,000 in all.'
const ofRecord = `The other records of the type that are duplicates of a record by the active rules of duplicates, whatever their action. ${limits}`

const LimitArg = () =>
  ValueArg('limit', () => Int, {
    default: 20,
    minimum: 1,
    maximum: 50,
    description: 'Maximum number of duplicates.',
    example: 20,
  })

const answered = { summary: 'Find duplicates of a record', answers: 'The duplicates, the best first.' } as const

/** `<type>Duplicates` of a record type. */
function duplicatesOfType(object: string, scope: string, path: string): Resource {
  @Resolver()
  class DuplicatesOfTypeResolver {
    @Query(() => DuplicateList, { name: `${object}Duplicates`, description: ofRecord })
    @RequiresScopes(scopeOf('READ', scope))
    duplicates(@IdArg() id: string, @LimitArg() limit: number, @Ctx() ctx: RequestContext) {
      return duplicatesOf(ctx, recordType(object)(), id, limit)
    }
  }
  return {
    resolver: DuplicatesOfTypeResolver,
    mentions: [object],
    operations: [operation(`GET /v1/${path}/{id}/duplicates`, `${object}Duplicates`, answered)],
  }
}

@Resolver()
class DuplicatesResolver {
  @Query(() => DuplicateList, { description: ofRecord })
  @RequiresScopes(customObjectScope)
  customRecordDuplicates(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @LimitArg() limit: number,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomObject(ctx, object, (current, shape) => duplicatesOf(current, shape, id, limit))
  }

  @Query(() => DuplicateList, {
    description: `The records that are duplicates of one with these values by the active rules of duplicates, whatever their action. Needs the READ scope of the record type. ${limits}`,
  })
  @RequiresScopes(memberScope)
  duplicatesFind(
    @ValueArg('object', () => String, {
      max: 70,
      filled: true,
      description:
        'The record type, as in event types: account, contact, lead, or `custom:` and the name of a custom object.',
      example: 'contact',
    })
    object: string,
    @ValueArg('values', () => Json, {
      description:
        'Values by the names of fields, custom fields in `customFields`. What follows from others, such as the name of a person, may be left out.',
      example: { email: 'ingrid@halvorsen-marine.example' },
    })
    values: unknown,
    @LimitArg() limit: number,
    @Ctx() ctx: RequestContext,
  ) {
    return duplicatesWith(ctx, { object, values, limit })
  }
}

export const duplicateResources: readonly Resource[] = [
  duplicatesOfType('account', 'ACCOUNTS', 'accounts'),
  duplicatesOfType('contact', 'CONTACTS', 'contacts'),
  duplicatesOfType('lead', 'LEADS', 'leads'),
  {
    resolver: DuplicatesResolver,
    operations: [
      operation('GET /v1/custom-objects/{name}/records/{id}/duplicates', 'customRecordDuplicates', {
        ...answered,
        folder: 'custom-records',
        parameters: { name: 'object' },
      }),
      operation('POST /v1/duplicates/find', 'duplicatesFind', {
        summary: 'Find duplicates of values',
        answers: 'The duplicates, the best first.',
      }),
    ],
  },
]
