import { commerce } from './commerce/subgraph.ts'
import { crm } from './crm/subgraph.ts'
import { identityTables } from './identity/migrations/20261121-identity.ts'
import type { Migration } from './kernel/database/migrate.ts'
import { kernelTables } from './kernel/migrations/20261121-kernel.ts'
import { migrationsOf, type SubgraphDefinition } from './kernel/subgraph/subgraph.ts'
import { support } from './support/subgraph.ts'

/** Every domain of the platform; what owns tables that others refer to comes first. */
export const subgraphs: readonly SubgraphDefinition[] = [crm, commerce, support]

export const migrations: readonly Migration[] = [kernelTables, { name: '00000000-identity-schema', sql: 'create schema identity;' }, identityTables, ...subgraphs.flatMap(migrationsOf)]
