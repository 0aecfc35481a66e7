import { Field, Int, ObjectType } from 'type-graphql'
import { Json } from '../../kernel/record/scalars.ts'
import { PublishAccess } from '../custom-event-type/custom-event-type.ts'

@ObjectType({ description: 'One version of an event type.' })
export class EventType {
  @Field(() => String, {
    simple: true,
    description: 'Type and version: `lead.created@1`, or `custom.<apiName>@<version>`.',
  })
  name!: string

  @Field(() => String, { simple: true, description: 'Type of the event, to which webhooks and streams subscribe.' })
  type!: string

  @Field(() => Int, {
    simple: true,
    description:
      'Version of the schema. A change that removes or retypes a field is a new version; an additional optional field is not.',
  })
  version!: number

  @Field(() => Boolean, {
    simple: true,
    description:
      'True if events are emitted in this version. Former versions are kept, because events of them may still be delivered and replayed.',
  })
  isCurrent!: boolean

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: 'Kind of the record, `object` of the data; null for a custom event type.',
  })
  object!: string | null

  @Field(() => Boolean, {
    simple: true,
    description: 'True for a type of a custom object, and for a custom event type of the organization.',
  })
  isCustom!: boolean

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: 'Name for people; null for an event type of the platform.',
  })
  label!: string | null

  @Field(() => String, { simple: true, description: 'When the event occurs.' })
  description!: string

  @Field(() => PublishAccess, {
    simple: true,
    nullable: true,
    description: 'Which users may publish events of the type; null for an event type of the platform.',
  })
  publishAccess!: PublishAccess | null

  @Field(() => Json, { simple: true, description: 'JSON Schema (draft-07) of `data` of the envelope.' })
  schema!: object

  @Field(() => Json, { simple: true, description: 'A sample of `data`, valid by the schema. Test events carry it.' })
  sample!: object
}

@ObjectType('EventCatalog', { description: 'Event types, in the form of a list with one page.' })
export class EventTypeList {
  @Field(() => [EventType], {
    simple: true,
    description:
      'The event types, by name: those of the platform, then custom ones. Of a type with several versions the latest comes first.',
  })
  data!: readonly EventType[]

  @Field(() => Int, { simple: true, description: 'Number of entries.' })
  total!: number

  @Field(() => Int, { simple: true, description: 'Number of the page, always 1.' })
  page!: number

  @Field(() => Int, { simple: true, description: 'Number of entries, because a catalog has one page.' })
  limit!: number

  @Field(() => Int, { simple: true, description: 'Number of pages, always 1.' })
  totalPages!: number
}

export const eventTypeList = (data: readonly EventType[]): EventTypeList => ({
  data,
  total: data.length,
  page: 1,
  limit: data.length,
  totalPages: 1,
})
