import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** A user by id. The subgraph that owns the users resolves the other fields, all users of one answer in one statement. */
@ObjectType('User')
@Directive('@key(fields: "id", resolvable: false)')
export class UserReference {
  @Field(() => ID)
  id!: string
}
