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
import { pagesMax, recordTypeMax } from './bounds.ts'
import { PageCreateInput, PagePage, PagePageArgs, PageUpdateInput } from './page.inputs.ts'
import { pageComponent } from './page.component.ts'
import { pageTable } from './page.migrations.ts'
import { page } from './page.record.ts'
import { Page } from './page.ts'
import { resolvePage } from './resolve-page.ts'
import { ResolvedPage } from './resolved-page.ts'

const pages = recordsOf(page)

@Resolver(() => Page)
export class PageResolver {
  @Query(() => Page, { nullable: true, description: 'One page by id. For owners and admins.' })
  page(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return pages.one(ctx, id, info)
  }

  @Query(() => PagePage, { description: 'The pages of the organization. For owners and admins.' })
  pageList(@Args(() => PagePageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return pages.page(ctx, args, info)
  }

  @Query(() => ResolvedPage, {
    description:
      'The page of a record type for the caller: that for the own profile and the record type, else that for the profile, else that for the record type, else that for everyone, else the own layout.',
  })
  @RequiresScopes(scopeOf('READ', 'PAGES'))
  pageResolved(
    @ValueArg('objectType', () => String, {
      max: extendedTypeMax,
      description: 'The record type, such as `ACCOUNT` or `custom:site_visit`.',
      example: 'ACCOUNT',
    })
    objectType: string,
    @ValueArg('recordType', () => String, {
      nullable: true,
      max: recordTypeMax,
      description: 'The value that the record has in the field of record types; null: none.',
      example: 'CUSTOMER',
    })
    recordType: string | null,
    @Ctx() ctx: RequestContext,
  ): Promise<ResolvedPage> {
    return resolvePage(ctx, objectType, recordType ?? null)
  }

  @Mutation(() => Page, {
    description: `Creates a page. An organization has at most ${pagesMax}. For owners and admins.`,
  })
  @RequiresScope('PAGES')
  pageCreate(@InputArg(() => PageCreateInput) input: RecordInput<Page>, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return pages.create(ctx, input)
  }

  @Mutation(() => Page, { description: 'Changes a page. For owners and admins.' })
  @RequiresScope('PAGES')
  pageUpdate(
    @IdArg() id: string,
    @InputArg(() => PageUpdateInput) input: RecordInput<Page>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return pages.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a page: its users have another page that is assigned to them, or their layout. For owners and admins.',
  })
  @RequiresScope('PAGES')
  pageDelete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return pages.remove(ctx, id, expectedVersion)
  }
}

export const pageResource: Resource = {
  resolver: PageResolver,
  component: pageComponent,
  announces: [page],
  migrations: [pageTable],
  operations: [
    operation('GET /v1/pages/resolved', 'pageResolved', {
      summary: 'Read the page of a record type for the caller',
      answers: 'The page.',
    }),
  ],
  rest: restArea(page, { path: 'pages', filters: [typeFilter('objectType'), 'apiName', 'label'] }),
}
