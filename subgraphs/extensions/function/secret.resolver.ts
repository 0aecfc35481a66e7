import { Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { secretMax, secretsMax } from './bounds.ts'
import type { FunctionContext } from './function.context.ts'
import { FunctionArg } from './function.inputs.ts'
import { functionRoles } from './function.resolver.ts'
import { deleteSecret, secretNames, setSecret } from './secret.actions.ts'
import { sealedSecrets, ServerlessFunctionSecret, ServerlessFunctionSecretDeletion } from './secret.ts'

const NameArg = () =>
  ValueArg('name', () => String, {
    max: 64,
    filled: true,
    description: 'Name of the secret, by which `context.secrets` has it: UPPER_SNAKE_CASE with at most 64 characters.',
    example: 'CRM_TOKEN',
  })

@Resolver()
export class FunctionSecretResolver {
  @Query(() => [String], {
    description: 'The names of the secrets of a function. Values are never returned. For owners and admins.',
  })
  @RequiresScopes('READ_FUNCTIONS')
  serverlessFunctionSecretList(@FunctionArg() id: string, @Ctx() ctx: RequestContext) {
    return secretNames(ctx, id)
  }

  @Mutation(() => ServerlessFunctionSecret, {
    description: `Saves a secret of a function, encrypted. Its value is never returned, and hidden in logs, errors and outputs of the function if it has 6 characters or more. A function has at most ${secretsMax} secrets. For owners and admins; of a function that acts as an owner only for owners.`,
  })
  @RequiresScope('FUNCTIONS')
  serverlessFunctionSecretSet(
    @FunctionArg() id: string,
    @NameArg() name: string,
    @ValueArg('value', () => String, {
      max: secretMax,
      description: 'The value.',
      example: 'a value that only the function reads',
    })
    value: string,
    @Ctx() ctx: FunctionContext,
  ) {
    return setSecret(ctx, id, name, value)
  }

  @Mutation(() => ServerlessFunctionSecretDeletion, {
    description:
      'Deletes a secret of a function. For owners and admins; of a function that acts as an owner only for owners.',
  })
  @RequiresScope('FUNCTIONS')
  serverlessFunctionSecretDelete(@FunctionArg() id: string, @NameArg() name: string, @Ctx() ctx: RequestContext) {
    return deleteSecret(ctx, id, name)
  }
}

export const functionSecretResource: Resource = {
  resolver: FunctionSecretResolver,
  sealed: [sealedSecrets],
  operations: [
    operation('GET /v1/functions/{id}/secrets', 'serverlessFunctionSecretList', {
      summary: 'List the names of secrets',
      answers: 'The names of the secrets of the function.',
      roles: functionRoles,
    }),
    operation('PUT /v1/functions/{id}/secrets/{name}', 'serverlessFunctionSecretSet', {
      summary: 'Set a secret of a function',
      answers: 'That the secret was saved.',
      roles: functionRoles,
    }),
    operation('DELETE /v1/functions/{id}/secrets/{name}', 'serverlessFunctionSecretDelete', {
      summary: 'Delete a secret of a function',
      answers: 'That the secret was deleted.',
      roles: functionRoles,
    }),
  ],
}
