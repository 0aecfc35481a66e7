import { Ctx, Int, Query, Resolver } from 'type-graphql'
import { withCustomObject } from '../../kernel/extension/with-custom-object.ts'
import { CustomObjectArg, IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation, type DeclaredOperation, type OperationOptions } from '../../kernel/record/operation.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { fieldHistoryTables } from './field-history.migrations.ts'
import { maintainFieldHistory } from './maintain-history.job.ts'
import { FieldHistoryPage, readFieldHistory } from './read-history.ts'

const description =
  'The values of custom fields with `trackHistory` that changes of the record have replaced in the last 24 months, newest first, without fields that the profile of the caller hides.'

const FieldArg = () =>
  ValueArg('field', () => String, {
    nullable: true,
    max: 64,
    description: 'Only the entries of the custom field with this name; null for all fields.',
    example: 'tier',
  })

const CursorArg = () =>
  ValueArg('cursor', () => String, {
    nullable: true,
    max: 36,
    description: '`nextCursor` of the page before; null for the first page.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })

const LimitArg = () =>
  ValueArg('limit', () => Int, {
    default: 50,
    minimum: 1,
    maximum: 100,
    description: 'Entries of a page.',
    example: 50,
  })

const historyOperation = (path: string, name: string, more: Partial<OperationOptions> = {}): DeclaredOperation =>
  operation(`GET /v1/${path}/{id}/field-history`, name, {
    summary: 'List the history of the fields',
    answers: 'A page of the history.',
    ...more,
  })

/** The history of the fields of one record type: `<type>FieldHistory`. */
function historyOf(object: string, scope: string, path: string): Resource {
  const name = `${object}FieldHistory`

  @Resolver()
  class FieldHistoryResolver {
    @Query(() => FieldHistoryPage, { name, description })
    @RequiresScope(scope)
    fieldHistory(
      @IdArg() id: string,
      @FieldArg() field: string | null,
      @CursorArg() cursor: string | null,
      @LimitArg() limit: number,
      @Ctx() ctx: RequestContext,
    ) {
      const shape = recordType(object)()
      return readFieldHistory(ctx, shape, { id, field: field ?? null, cursor: cursor ?? null, limit })
    }
  }
  return { resolver: FieldHistoryResolver, mentions: [object], operations: [historyOperation(path, name)] }
}

@Resolver()
class CustomRecordFieldHistoryResolver {
  @Query(() => FieldHistoryPage, { description })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordFieldHistory(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @FieldArg() field: string | null,
    @CursorArg() cursor: string | null,
    @LimitArg() limit: number,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomObject(ctx, object, (current, shape) =>
      readFieldHistory(current, shape, { id, field: field ?? null, cursor: cursor ?? null, limit }),
    )
  }
}

const historyOfCustomRecords: Resource = {
  resolver: CustomRecordFieldHistoryResolver,
  operations: [
    historyOperation('custom-objects/{name}/records', 'customRecordFieldHistory', {
      folder: 'custom-records',
      parameters: { name: 'object' },
    }),
  ],
}

export const fieldHistoryResources: readonly Resource[] = [
  { ...historyOf('lead', 'LEADS', 'leads'), migrations: [fieldHistoryTables], jobs: [maintainFieldHistory] },
  historyOf('contact', 'CONTACTS', 'contacts'),
  historyOf('account', 'ACCOUNTS', 'accounts'),
  historyOf('opportunity', 'OPPORTUNITIES', 'opportunities'),
  historyOf('product', 'PRODUCTS', 'products'),
  historyOf('quote', 'QUOTES', 'quotes'),
  historyOfCustomRecords,
]
