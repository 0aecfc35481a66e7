interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The fields of a form; several values are sent in their order. */
export type Form = Readonly<Record<string, string | readonly string[]>>

/** A minimal browser for sign-in: cookies with their paths, redirects and forms. It sends requests only to the platform. */
export class Browser {
  #cookies: Cookie[] = []

  constructor(private readonly origin: string) {}

  /** Follows redirects on the platform; a redirect to another host is returned without a request. */
  async open(address: string | URL, form?: Form): Promise<Page> {
    let url = new URL(address)
    let body = form && new URLSearchParams()
    for (const [name, values] of Object.entries(form ?? {}))
      for (const value of [values].flat()) body!.append(name, value)
    for (let hops = 0; hops < 10; hops++) {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { Accept: 'text/html', Cookie: this.#cookiesFor(url.pathname) },
        ...(body && { method: 'POST', body }),
      })
      this.keep(response.headers.getSetCookie())
      const location = response.headers.get('location')
      if (location === null) {
        return { url: url.href, status: response.status, headers: response.headers, text: await response.text() }
      }
      await response.arrayBuffer()
      url = new URL(location, url)
      body = undefined
      if (url.origin !== this.origin)
        return { url: url.href, status: response.status, headers: response.headers, text: '' }
    }
    throw new Error('The platform must not redirect endlessly.')
  }

  /** Submits the form whose action contains this name, with the given fields. */
  submit(page: Page, action: string, fields: Form): Promise<Page> {
    const [, target] = new RegExp(`action="([^"]*/${action})"`).exec(page.text) ?? []
    if (!target) throw new Error(`${page.url} must have a form for ${action}, but returned ${page.status} ${page.text}`)
    return this.open(new URL(target, page.url), fields)
  }

  cookies(): readonly Cookie[] {
    return this.#cookies
  }

  #cookiesFor(path: string): string {
    return this.#cookies
      .filter((cookie) => path.startsWith(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  /** Stores the cookies of a response, also of one that a page requested. */
  keep(setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(/;\s*/)
      const [name = '', value = ''] = pair.split('=', 2)
      const path = attributes.find((text) => /^path=/i.test(text))?.slice('path='.length) ?? '/'
      this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path)
      if (value !== '') this.#cookies.push({ name, value, path })
    }
  }
}
