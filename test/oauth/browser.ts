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

/** As much of a browser as a sign-in needs: cookies with their paths, redirects, forms. It never leaves the platform. */
export class Browser {
  #cookies: Cookie[] = []

  constructor(private readonly origin: string) {}

  /** Follows redirects on the platform; one that leads elsewhere is where it ends, unvisited. */
  async open(address: string | URL, form?: Readonly<Record<string, string>>): Promise<Page> {
    let url = new URL(address)
    let body = form && new URLSearchParams(form)
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
    throw new Error('too many redirects')
  }

  /** Sends the form of the page that has this name in its action, as its user filled it. */
  submit(page: Page, action: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    const [, target] = new RegExp(`action="([^"]*/${action})"`).exec(page.text) ?? []
    if (!target) throw new Error(`there is no form for ${action} on ${page.url}: ${page.status} ${page.text}`)
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

  /** Cookies of an answer, also of one that a page got by itself. */
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
