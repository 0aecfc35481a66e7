import { Ctx, ID, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { extendedTypeMax } from '../extended-type.ts'
import { PagePreview, PageValidation } from './page-builder.types.ts'
import { previewPage, validatePage } from './preview-page.ts'

const ObjectTypeArg = (): ParameterDecorator =>
  ValueArg('objectType', () => String, {
    max: extendedTypeMax,
    description: 'The record type whose records the page shows, such as `ACCOUNT` or `custom:site_visit`.',
    example: 'ACCOUNT',
  }) as ParameterDecorator

const DefinitionArg = (): ParameterDecorator =>
  ValueArg('definition', () => Json, {
    description: 'The definition, as that of a page.',
    example: {
      regions: [{ name: 'main', components: [{ type: 'FIELDS', label: 'Company', items: [{ field: 'name' }] }] }],
    },
  }) as ParameterDecorator

const who = 'For owners and admins with a session.'

@Resolver()
export class PageBuilderResolver {
  @Query(() => PageValidation, {
    description: `Checks the definition of a page, as creating the page would. Stores nothing. ${who}`,
  })
  @RequiresScopes('SESSION')
  pageBuilderValidate(
    @ObjectTypeArg() objectType: string,
    @DefinitionArg() definition: unknown,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return validatePage(ctx, objectType, definition)
  }

  @Query(() => PagePreview, {
    description: `What users with a profile would see of a page with this definition, and of a record that the caller sees: never more than the caller may see. Stores nothing. ${who}`,
  })
  @RequiresScopes('SESSION')
  pageBuilderPreview(
    @ObjectTypeArg() objectType: string,
    @DefinitionArg() definition: unknown,
    @ValueArg('recordTypeField', () => String, {
      nullable: true,
      max: 200,
      description: 'The field that acts as record type, as that of a page; null: none.',
      example: null,
    })
    recordTypeField: string | null,
    @ValueArg('profile', () => String, {
      nullable: true,
      max: 100,
      description: 'Name of the profile, in any case; null: that of the caller.',
      example: null,
    })
    profile: string | null,
    @ValueArg('recordId', () => ID, {
      nullable: true,
      description: 'Id of the record that is shown; null: none, so components keep their conditions.',
      example: null,
    })
    recordId: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return previewPage(ctx, {
      objectType,
      definition,
      recordTypeField: recordTypeField ?? null,
      profile: profile ?? null,
      recordId: recordId ?? null,
    })
  }
}

export const pageBuilderResource: Resource = {
  resolver: PageBuilderResolver,
  operations: [
    operation('POST /v1/page-builder/validate', 'pageBuilderValidate', {
      summary: 'Check the definition of a page',
      answers: 'Whether the definition can be used, and what is wrong with it.',
      roles: ['OWNER', 'ADMIN'],
    }),
    operation('POST /v1/page-builder/preview', 'pageBuilderPreview', {
      summary: 'Preview a page',
      answers: 'What users with the profile would see.',
      roles: ['OWNER', 'ADMIN'],
      refusals: [404],
    }),
  ],
}
