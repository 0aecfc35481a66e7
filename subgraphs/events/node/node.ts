import { Field, ID, InterfaceType } from 'type-graphql'
import { objectInterface } from '../../kernel/record/object-interface.ts'

@InterfaceType(objectInterface, {
  description:
    'A record of any type, as Relay defines it. An id needs no type, because the ids of the platform are unique among all types. Fragments select the fields of a type, and each needs the scope of its type.',
})
export abstract class Node {
  @Field(() => ID, { description: 'Id of the record.' })
  id!: string
}
