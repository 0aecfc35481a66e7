import { createUnionType, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { Class } from '../../kernel/record/declared-class.ts'
import { wordsOf } from '../../kernel/record/describe.ts'
import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import { readReference } from '../../kernel/record/read.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { Activity } from '../activity/activity.ts'
import { Contact } from '../contact/contact.ts'
import { Case } from '../edges/case-edges.ts'
import { CustomRecord } from '../edges/custom-record.ts'
import { CreditNote } from '../edges/credit-note-edges.ts'
import { Invoice } from '../edges/invoice-edges.ts'
import { Order } from '../edges/order-edges.ts'
import { Quote } from '../edges/quote-edges.ts'
import { Lead } from '../lead/lead.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { visibleStub } from '../related-record/visible-stub.ts'
import { Task } from '../task/task.ts'
import { fileParent, isFileParent, type FileParent } from './file.enumerations.ts'
import { fileTypes } from './file.inputs.ts'
import { file } from './file.record.ts'
import { File } from './file.ts'

/** The GraphQL types of the records with files that this subgraph reads, and of those of other subgraphs. */
const own: Readonly<Partial<Record<FileParent, Class<{ id: string }>>>> = {
  ACCOUNT: Account,
  CONTACT: Contact,
  LEAD: Lead,
  OPPORTUNITY: Opportunity,
  TASK: Task,
  ACTIVITY: Activity,
}
const others: Readonly<Partial<Record<FileParent, Class<{ id: string }>>>> = {
  CASE: Case,
  QUOTE: Quote,
  ORDER: Order,
  INVOICE: Invoice,
  CREDIT_NOTE: CreditNote,
  PRODUCT: extendedEntity('Product'),
  EMAIL: extendedEntity('Email'),
}
const graphTypes = Object.values({ ...own, ...others })

const FileRelatedTo = createUnionType({
  name: 'FileRelatedTo',
  description:
    'The record to which a file is attached. A selection of it needs the READ scopes of all types of the union; `relatedToType` and `relatedToId` need none of them.',
  types: () => graphTypes as never,
})

@Resolver(() => File)
class FileRelatedToResolver {
  @FieldResolver(() => FileRelatedTo, {
    nullable: true,
    description:
      'The record to which the file is attached; null if there is none, and for records of custom objects: see relatedCustomRecord.',
  })
  async relatedTo(@Root() root: File, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    const { relatedToType, relatedToId } = root
    if (!relatedToType || !relatedToId || !isFileParent(relatedToType)) return null
    const shape = fileParent(ctx, relatedToType)!
    const type = own[relatedToType]
    const row = type
      ? await readReference(ctx, shape, relatedToId, selectedFields(info))
      : await visibleStub(ctx, shape.object, relatedToId)
    return row && { ...row, __typename: (type ?? others[relatedToType])!.name }
  }

  @FieldResolver(() => CustomRecord, {
    nullable: true,
    description: 'The record of a custom object to which the file is attached; null if it is attached to none.',
  })
  relatedCustomRecord(@Root() { relatedToType, relatedToId }: File, @Ctx() ctx: RequestContext) {
    const isCustom = relatedToType !== null && !isFileParent(relatedToType)
    return isCustom && fileParent(ctx, relatedToType) ? visibleStub(ctx, relatedToType, relatedToId) : null
  }
}

/** The edge `files` of every record to which files can be attached, and the edge back. */
export const fileEdges: readonly Resource[] = [
  { resolver: FileRelatedToResolver },
  ...[...graphTypes, CustomRecord].map((type) =>
    edgeToMany(type, 'files', {
      records: file,
      types: fileTypes,
      by: 'relatedToId',
      description: `Live files that are attached to the ${wordsOf(type.name)}, newest first by default.`,
    }),
  ),
]
