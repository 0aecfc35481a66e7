import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes, scopeOf } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { extendedTypeMax, typeFilter } from '../extended-type.ts'
import { recordTypeMax } from '../page/bounds.ts'
import { layoutComponent } from './layout.component.ts'
import { LayoutCreateInput, LayoutPage, LayoutPageArgs, LayoutUpdateInput } from './layout.inputs.ts'
import { layoutTable } from './layout.migrations.ts'
import { layout, layoutsMax } from './layout.record.ts'
import { Layout } from './layout.ts'
import { resolveLayout } from './resolve-layout.ts'
import { ResolvedLayout } from './resolved-layout.ts'

const layouts = recordsOf(layout)

@Resolver(() => Layout)
export class LayoutResolver {
  @Query(() => Layout, { nullable: true, description: 'One layout by id. For owners and admins.' })
  layout(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return layouts.one(ctx, id, info)
  }

  @Query(() => LayoutPage, { description: 'The layouts of the organization. For owners and admins.' })
  layoutList(@Args(() => LayoutPageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return layouts.page(ctx, args, info)
  }

  @Query(() => ResolvedLayout, {
    description:
      'The layout of a record type for the caller: that of the own profile, else the default of the organization, else all fields in one section. It is the same for all values of the field of record types; pages differ by them (`pageResolved`).',
  })
  @RequiresScopes(scopeOf('READ', 'LAYOUTS'))
  layoutResolved(
    @ValueArg('objectType', () => String, {
      max: extendedTypeMax,
      description: 'The record type, such as `ACCOUNT` or `custom:site_visit`.',
      example: 'ACCOUNT',
    })
    objectType: string,
    @ValueArg('recordType', () => String, {
      nullable: true,
      max: recordTypeMax,
      description:
        'The value that the record has in the field of record types, as for `pageResolved`; null: none. It changes nothing.',
      example: 'CUSTOMER',
    })
    _recordType: string | null,
    @Ctx() ctx: RequestContext,
  ): Promise<ResolvedLayout> {
    return resolveLayout(ctx, objectType)
  }

  @Mutation(() => Layout, {
    description: `Creates a layout. A record type has one for each profile and one for everyone else, at most ${layoutsMax}. For owners and admins.`,
  })
  @RequiresScope('LAYOUTS')
  layoutCreate(@InputArg(() => LayoutCreateInput) input: RecordInput<Layout>, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return layouts.create(ctx, input)
  }

  @Mutation(() => Layout, { description: 'Changes a layout. For owners and admins.' })
  @RequiresScope('LAYOUTS')
  layoutUpdate(
    @IdArg() id: string,
    @InputArg(() => LayoutUpdateInput) input: RecordInput<Layout>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return layouts.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes a layout: its users have the default of the organization. For owners and admins.',
  })
  @RequiresScope('LAYOUTS')
  layoutDelete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return layouts.remove(ctx, id, expectedVersion)
  }
}

export const layoutResource: Resource = {
  resolver: LayoutResolver,
  component: layoutComponent,
  announces: [layout],
  migrations: [layoutTable],
  operations: [
    operation('GET /v1/layouts/resolved', 'layoutResolved', {
      summary: 'Read the layout of a record type for the caller',
      answers: 'The layout.',
    }),
  ],
  rest: restArea(layout, { path: 'layouts', filters: [typeFilter('objectType'), 'profile', 'name'] }),
}
