import { Ctx, Directive, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { memberScope } from '../../scopes.ts'
import type { RequestContext } from '../../request.ts'
import type { Resource } from '../../subgraph/subgraph.ts'
import { IdArg } from '../args.ts'
import { classNamed, type Class } from '../declared-class.ts'
import { OutputField, ValueArg } from '../declared-value.ts'
import type { RecordDefinition } from '../definition.ts'
import { pluralOf, wordsOf } from '../describe.ts'
import { operation } from '../operation.ts'
import type { OrgRecord } from '../org-record.ts'
import { RequiresScope, RequiresScopes } from '../requires-scope.ts'
import { Json } from '../scalars.ts'
import { mergeRecords, movedMax, type MergeResult } from './merge-records.ts'

const exampleId = '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b27'

@ObjectType({ description: 'How often one field names records that are merged.' })
@Directive('@shareable')
@RequiresScopes(memberScope)
export class MergedReferences {
  @OutputField(() => String, {
    description: 'The record type that has the field, as in event types.',
    example: 'contact',
  })
  object!: string

  @OutputField(() => String, {
    description: 'The field; a part of a structured field as a path.',
    example: 'accountId',
  })
  field!: string

  @OutputField(() => Int, {
    description: `Number of records that name one of the merged records in this field; ${movedMax + 1} means more than ${movedMax}.`,
    example: 12,
  })
  count!: number
}

const decorate = (decorator: unknown, target: Class, name: string): void =>
  (decorator as PropertyDecorator)(target.prototype as object, name)

/** The answer of a merge of records of a type: `AccountMerge`. */
export function mergeAnswerOf({ entity }: { readonly entity: abstract new () => object }, scope: string): Class {
  const one = wordsOf(entity.name)
  const answer = classNamed(`${entity.name}Merge`)
  decorate(
    Field(() => entity as Class, { description: `The ${one} that stays, as changed.` }),
    answer,
    'record',
  )
  decorate(
    OutputField(() => ID, {
      list: true,
      maxItems: 9,
      description: `Ids of the ${pluralOf(one)} that were merged into it.`,
      example: [exampleId],
    }),
    answer,
    'mergedIds',
  )
  decorate(
    OutputField(() => MergedReferences, {
      list: true,
      maxItems: 1000,
      description: 'How many references to the merged records there were, by field.',
    }),
    answer,
    'references',
  )
  decorate(
    OutputField(() => Boolean, {
      description: `Whether all references name the record that stays. False if there were more than ${movedMax}: the others are moved in the background, which takes some seconds.`,
      example: true,
    }),
    answer,
    'isComplete',
  )
  RequiresScope(scope)(answer)
  ObjectType(`${entity.name}Merge`, { description: `A merge of ${pluralOf(one)}.` })(answer)
  return answer
}

export const MergedIdsArg = () =>
  ValueArg('ids', () => ID, {
    list: true,
    minItems: 1,
    maxItems: 9,
    description: 'Ids of the records that are merged into the one that stays, and deleted.',
    example: [exampleId],
  })

export const MergedFieldsArg = () =>
  ValueArg('fields', () => Json, {
    nullable: true,
    description:
      'Fields whose value is taken from a certain record: an object with the id of the record by the name of the field, custom fields as `customFields.<name>`. All other fields keep the value of the record that stays or, where that is blank, get the first one that is not; lists are united.',
    example: { phone: exampleId },
  })

export const MergedVersionsArg = () =>
  ValueArg('expectedVersions', () => Json, {
    nullable: true,
    description:
      'The versions that the caller read: an object with the version by the id of the record. If a record has another version now, the merge is refused with VERSION_CONFLICT.',
    example: { [exampleId]: 3 },
  })

export const DryRunArg = () =>
  ValueArg('dryRun', () => Boolean, {
    nullable: true,
    default: false,
    description: 'Answers what would be, and changes nothing.',
    example: false,
  })

export const mergeDescription = (many: string): string =>
  [
    `Merges 1 to 9 ${many} into one, which stays. What names the others names it afterwards, custom lookups included, whether or not the caller sees it; the others are deleted, and reading them answers NOT_FOUND with \`mergedIntoId\`.`,
    'The caller must see all of them, and may write the fields in `fields`. A field that is hidden from the caller is merged by the default rule.',
    'A record that was merged can be restored: it is then as it was, without what named it.',
  ].join(' ')

/** The mutation `<type>Merge`, and its REST operation at `path`. */
export function mergeResource<T extends OrgRecord>(
  definition: RecordDefinition<T>,
  scope: string,
  path: string,
): Resource {
  const { name } = definition.entity
  const [one, root] = [wordsOf(name), `${name.charAt(0).toLowerCase()}${name.slice(1)}Merge`]
  const Answer = mergeAnswerOf(definition, scope)

  @Resolver()
  class MergeResolver {
    @Mutation(() => Answer, { name: root, description: mergeDescription(pluralOf(one)) })
    @RequiresScope(scope)
    merge(
      @IdArg() id: string,
      @MergedIdsArg() ids: string[],
      @MergedFieldsArg() fields: unknown,
      @MergedVersionsArg() expectedVersions: unknown,
      @DryRunArg() dryRun: boolean,
      @Ctx() ctx: RequestContext,
    ): Promise<MergeResult<T>> {
      return mergeRecords(ctx, definition, id, { ids, fields, expectedVersions, dryRun })
    }
  }
  return {
    resolver: MergeResolver,
    operations: [operation(`POST /v1/${path}/{id}/merge`, root, mergeOperation(one))],
  }
}

export const mergeOperation = (one: string, many = pluralOf(one)) => ({
  summary: `Merge ${many}`,
  answers: `The ${one} that stays, and what was moved to it.`,
  unless: {
    flag: 'isComplete',
    status: 202,
    answers: `The ${one} that stays. The references to the others are being moved to it.`,
  } as const,
})
