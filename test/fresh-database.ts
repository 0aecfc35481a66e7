import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { Database } from '../subgraphs/kernel/database/database.ts'
import { databaseUrl } from './database-url.ts'

export interface FreshDatabase {
  readonly url: string
  readonly database: Database
  drop(): Promise<void>
}

/** A new, migrated, empty database on the PostgreSQL of the test run. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const templateUrl = inject('templateUrl')
  const name = `fresh_${randomUUID().replaceAll('-', '')}`
  const admin = new Database({ url: databaseUrl(templateUrl, 'crm'), connectionsMax: 1 })
  await admin.query(`create database ${name} template template_platform`)
  const url = databaseUrl(templateUrl, name)
  const database = new Database({ url, connectionsMax: 4 })
  return {
    url,
    database,
    async drop() {
      await database.close()
      await admin.query(`drop database ${name} with (force)`)
      await admin.close()
    },
  }
}
