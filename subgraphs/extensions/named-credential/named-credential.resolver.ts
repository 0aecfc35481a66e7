import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { namedCredentialComponent } from './named-credential.component.ts'
import { credentialsMax, secretMax } from './bounds.ts'
import {
  createCredential,
  deleteCredential,
  setCredentialSecret,
  updateCredential,
  type CredentialContext,
  type CredentialInput,
} from './named-credential.actions.ts'
import {
  CredentialArg,
  NamedCredentialCreateInput,
  NamedCredentialPage,
  NamedCredentialPageArgs,
  NamedCredentialUpdateInput,
} from './named-credential.inputs.ts'
import { namedCredentialTables } from './named-credential.migrations.ts'
import { namedCredential } from './named-credential.record.ts'
import { NamedCredential } from './named-credential.ts'
import { sealedCredentialColumns } from './secret.ts'

const credentials = recordsOf(namedCredential)
const who = 'For owners and admins with a session.'

@Resolver(() => NamedCredential)
export class NamedCredentialResolver {
  @Query(() => NamedCredential, { nullable: true, description: `One named credential by id. ${who}` })
  @RequiresScopes('SESSION')
  namedCredential(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return credentials.one(ctx, id, info)
  }

  @Query(() => NamedCredentialPage, { description: `The named credentials of the organization. ${who}` })
  @RequiresScopes('SESSION')
  namedCredentialList(
    @Args(() => NamedCredentialPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return credentials.page(ctx, args, info)
  }

  @Mutation(() => NamedCredential, {
    description: `Creates a named credential, without its secret. An organization has at most ${credentialsMax}. ${who}`,
  })
  @RequiresScopes('SESSION')
  namedCredentialCreate(
    @InputArg(() => NamedCredentialCreateInput) input: CredentialInput,
    @Ctx() ctx: CredentialContext,
  ) {
    return createCredential(ctx, input)
  }

  @Mutation(() => NamedCredential, {
    description: `Changes a named credential. It loses its secret with another \`authType\`, and with another origin of \`baseUrl\` or \`tokenUrl\`, because the secret was not given for that. ${who}`,
  })
  @RequiresScopes('SESSION')
  namedCredentialUpdate(
    @IdArg() id: string,
    @InputArg(() => NamedCredentialUpdateInput) input: CredentialInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: CredentialContext,
  ) {
    return updateCredential(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: `Deletes a named credential with its secret. While webhooks use it, it is refused with HAS_DEPENDENTS, and \`usedBy\` names them. ${who}`,
  })
  @RequiresScopes('SESSION')
  namedCredentialDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: CredentialContext,
  ) {
    return deleteCredential(ctx, id, expectedVersion)
  }

  @Mutation(() => NamedCredential, {
    description: `Saves the secret of a named credential, encrypted. It is never returned and replaces the former one at once. A credential of the authType NONE has none: INVALID_STATE. ${who}`,
  })
  @RequiresScopes('SESSION')
  namedCredentialSetSecret(
    @CredentialArg() id: string,
    @ValueArg('secret', () => String, {
      max: secretMax,
      filled: true,
      description:
        'The secret: the key, the token, the password or the client secret. Of API_KEY_HEADER and BEARER it is visible ASCII; control characters are refused.',
      example: '6f1c2d9a-value-of-the-receiver',
    })
    secret: string,
    @Ctx() ctx: CredentialContext,
  ) {
    return setCredentialSecret(ctx, id, secret)
  }
}

export const namedCredentialResource: Resource = {
  resolver: NamedCredentialResolver,
  component: namedCredentialComponent,
  announces: [namedCredential],
  migrations: [namedCredentialTables],
  sealed: sealedCredentialColumns,
  rest: restArea(namedCredential, {
    path: 'named-credentials',
    filters: ['apiName', 'authType', 'secretStatus', 'isActive'],
  }),
  operations: [
    operation('PUT /v1/named-credentials/{id}/secret', 'namedCredentialSetSecret', {
      summary: 'Set the secret of a named credential',
      answers: 'The named credential, without its secret.',
      roles: ['OWNER', 'ADMIN'],
    }),
  ],
}
