import { graphql } from 'graphql'
import {
  Arg,
  Args,
  ArgsType,
  buildSchema,
  Ctx,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { describe, expect, it } from 'vitest'
import { callResolversDirectly } from './direct-resolvers.ts'

@ObjectType()
class Part {
  @Field(() => Int, { simple: true })
  size!: number
}

@ArgsType()
class SizeArgs {
  @Field(() => Int, { defaultValue: 3 } as never)
  size!: number
}

const seen: unknown[] = []

@Resolver()
class BaseResolver {
  @Query(() => Part)
  part(@Args(() => SizeArgs) args: SizeArgs, @Ctx() ctx: object): object {
    seen.push(args, ctx)
    return { size: args.size, add: this.addend() }
  }

  protected addend(): number {
    return 0
  }
}

@Resolver(() => Part)
class PartResolver extends BaseResolver {
  protected override addend(): number {
    return 100
  }

  @FieldResolver(() => Int)
  sum(@Arg('times', () => Int) times: number, @Root() { size, add }: Part & { add: number }): number {
    return times * size + add
  }

  @Query(() => Int)
  broken(): number {
    throw new Error('broken')
  }
}

const schema = await buildSchema({ resolvers: [PartResolver], validate: false })
callResolversDirectly(schema, [PartResolver])

describe('callResolversDirectly', () => {
  it('calls inherited and own methods with their parameters, in the order of the method', async () => {
    const contextValue = {}
    const { data, errors } = await graphql({ schema, source: '{ part { sum(times: 2) } }', contextValue })
    expect(errors).toBeUndefined()
    expect(data).toEqual({ part: { sum: 106 } })
    expect(seen).toEqual([{ size: 3 }, contextValue])
    expect(seen[0]).not.toBeInstanceOf(SizeArgs)
  })

  it('rejects where the method throws', async () => {
    const resolve = schema.getQueryType()!.getFields()['broken']!.resolve!
    await expect(resolve(undefined, {}, {}, {} as never)).rejects.toThrow('broken')
  })
})
