import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { operation } from '../../kernel/record/operation.ts'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { DeletedPageArgs } from '../../kernel/record/list-args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { structureInput } from '../../kernel/record/structure.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { CustomFieldFailure, lastFailures } from '../field-change/failures.ts'
import { fieldChangeTables, trackHistoryColumn, typeChangeColumns } from '../field-change/field-change.migrations.ts'
import { fieldChangeQueue } from '../field-change/field-change.queue.ts'
import { detailChangeTable } from '../lookup/detail-change.migrations.ts'
import { detailChangeQueue } from '../lookup/detail-change.queue.ts'
import { lookupClearingTable } from '../lookup/lookup-clearing.migrations.ts'
import { lookupClearingQueue } from '../lookup/lookup-clearing.queue.ts'
import { replaceValue } from '../field-change/replace-value.ts'
import { customFieldComponent } from './custom-field.component.ts'
import { customFieldJobs } from './custom-field.jobs.ts'
import { entityMax, fieldsMax } from './bounds.ts'
import { createField, reorderFields } from './custom-field.actions.ts'
import {
  CustomFieldCreateInput,
  CustomFieldPage,
  CustomFieldPageArgs,
  CustomFieldUpdateInput,
} from './custom-field.inputs.ts'
import { customFieldDerived, customFieldFormula, customFieldTable } from './custom-field.migrations.ts'
import { FormulaConfig } from './custom-field.parts.ts'
import { customField } from './custom-field.record.ts'
import { CustomField } from './custom-field.ts'
import { checkFormula, FormulaCheck } from './formula-check.ts'

const fields = recordsOf(customField)
const FormulaConfigInput = structureInput(FormulaConfig)
const published = 'Every write that commits after the answer is checked by it, and reads follow within a second.'

@Resolver(() => CustomField)
export class CustomFieldResolver {
  @Query(() => CustomField, { nullable: true, description: 'One custom field by id.' })
  customField(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return fields.one(ctx, id, info)
  }

  @Query(() => CustomFieldPage, { description: 'The custom fields of the organization.' })
  customFieldList(
    @Args(() => CustomFieldPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return fields.page(ctx, args, info)
  }

  @Query(() => [CustomField], { description: 'Deleted custom fields, most recently deleted first.' })
  customFieldListDeleted(
    @Args(() => DeletedPageArgs) args: DeletedPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return fields.deleted(ctx, args, info)
  }

  @Query(() => [CustomFieldFailure], {
    description:
      'The values that did not allow the last change of a custom field: of the records that the caller sees, at most 100. Empty if it has succeeded. Needs the READ scope of the record type. For owners and admins.',
  })
  customFieldFailures(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return lastFailures(ctx, id)
  }

  @Mutation(() => CustomField, {
    description: `Adds a custom field to a record type, which has at most ${fieldsMax}. ${published} From the first field on, a record type accepts no keys in \`customFields\` that are no field; those that records have can be read and set to null. For owners and admins.`,
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldCreate(
    @InputArg(() => CustomFieldCreateInput) input: RecordInput<CustomField>,
    @Ctx() ctx: RequestContext,
  ) {
    return createField(ctx, input as Partial<CustomField>)
  }

  @Mutation(() => CustomField, {
    description: `Changes a custom field. ${published} Where its new type needs it, the values of all records are checked and rewritten in the background: the state is BUILDING, and if a value does not fit, the field stays as it was. Records keep values that the changed field no longer allows, until they are set to others. For owners and admins.`,
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldUpdate(
    @IdArg() id: string,
    @InputArg(() => CustomFieldUpdateInput) input: RecordInput<CustomField>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return fields.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a custom field. Records keep its values and show them; they can only be set to null. While a rule, a trigger, a workflow or another field uses it, it is refused with HAS_DEPENDENTS, and `usedBy` names that. It can be restored for 30 days; then its values are removed from all records without events, and its name is free. For owners and admins.',
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return fields.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => CustomField, {
    description:
      'Restores a deleted custom field, with the values that records have, unless they are being removed (INVALID_STATE). For owners and admins.',
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldRestore(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return fields.restore(ctx, id, expectedVersion)
  }

  @Mutation(() => FormulaCheck, {
    description:
      'Checks a formula with the fields of a record type, as if it were that of a FORMULA, and evaluates it for a record. Nothing is stored. With a record, it needs the READ scope of the record type, and all fields that the formula reads must be readable. For owners and admins.',
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldCheckFormula(
    @ValueArg('entity', () => String, {
      max: entityMax,
      description: 'The record type, as `entity` of its fields.',
      example: 'ACCOUNT',
    })
    entity: string,
    @Arg('formulaConfig', () => FormulaConfigInput, { description: 'The formula.' }) formulaConfig: FormulaConfig,
    @ValueArg('name', () => String, {
      nullable: true,
      max: 64,
      example: null,
      description:
        'API name of the field that has the formula, or will have it, so that cycles are found; null: of none.',
    })
    name: string | null,
    @ValueArg('recordId', () => ID, {
      nullable: true,
      example: null,
      description: 'Id of the record for which the formula is evaluated; null: of none.',
    })
    recordId: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return checkFormula(ctx, { entity, formulaConfig, name: name ?? null, recordId: recordId ?? null })
  }

  @Mutation(() => CustomField, {
    description:
      'Makes a value of a PICKLIST or MULTI_PICKLIST inactive and replaces it in all records, which get events as with any other change, and as the default of new records. It is carried out in the background: the state is BUILDING until it has ended. For 30 days a write that still has the former value gets the new one. Fields that the field controls are not checked again. For owners and admins.',
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldReplaceValue(
    @IdArg() id: string,
    @ValueArg('from', () => String, {
      max: 255,
      filled: true,
      description: 'The value that records have.',
      example: 'SILVER',
    })
    from: string,
    @ValueArg('to', () => String, {
      nullable: true,
      max: 255,
      filled: true,
      description: 'An active value of the field that replaces it; null to remove it from the records.',
      example: 'GOLD',
    })
    to: string | null,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return replaceValue(ctx, id, { from, to: to ?? null }, expectedVersion)
  }

  @Mutation(() => [CustomField], {
    description: 'Puts the custom fields of a record type in another order, and returns them. For owners and admins.',
  })
  @RequiresScope('CUSTOM_FIELDS')
  customFieldReorder(
    @ValueArg('entity', () => String, {
      max: entityMax,
      description: 'The record type, as `entity` of its fields.',
      example: 'ACCOUNT',
    })
    entity: string,
    @Arg('fieldIds', () => [ID], { description: 'Ids of all its custom fields, each once, in the new order.' })
    fieldIds: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return reorderFields(ctx, entity, fieldIds)
  }
}

export const customFieldResource: Resource = {
  resolver: CustomFieldResolver,
  component: customFieldComponent,
  announces: [customField],
  migrations: [
    customFieldTable,
    fieldChangeTables,
    customFieldFormula,
    typeChangeColumns,
    trackHistoryColumn,
    ...customFieldDerived,
    lookupClearingTable,
    detailChangeTable,
  ],
  queues: [fieldChangeQueue, lookupClearingQueue, detailChangeQueue],
  jobs: customFieldJobs,
  rest: restArea(customField, {
    path: 'custom-fields',
    filters: [{ name: 'entity', column: 'entity', operator: 'in' }, 'fieldType', 'name', 'isActive'],
  }),
  operations: [
    operation('POST /v1/custom-fields/{id}/replace-value', 'customFieldReplaceValue', {
      summary: 'Replace a value of a picklist in all records',
      status: 202,
      answers: 'The field; its values are being replaced.',
      roles: ['OWNER', 'ADMIN'],
    }),
    operation('GET /v1/custom-fields/{id}/failures', 'customFieldFailures', {
      summary: 'List the values that did not allow a change of a custom field',
      answers: 'The values with their records.',
      roles: ['OWNER', 'ADMIN'],
    }),
    operation('POST /v1/custom-fields/check-formula', 'customFieldCheckFormula', {
      summary: 'Check a formula',
      answers: 'Whether the formula can be used, and its value.',
      roles: ['OWNER', 'ADMIN'],
      example: {
        entity: 'ACCOUNT',
        formulaConfig: {
          expression: 'ROUND(annualRevenue / 12, 2)',
          returnType: 'CURRENCY',
          decimals: 2,
          blankAs: 'ZERO',
        },
        name: null,
        recordId: null,
      },
    }),
  ],
}
