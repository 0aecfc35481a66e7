import { existsSync } from 'node:fs'

/** Where Debian's package `postgresql-15` has its programs. */
export const programs = '/usr/lib/postgresql/15/bin'

export const hasPostgres15 = existsSync(`${programs}/postgres`)
