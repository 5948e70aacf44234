# Two stages: the executable of `bun run build`, then an image with it and the C library, and nothing else: no shell, no
# package manager, no Bun. What the build takes from outside is these two images, by their digests, and the packages of the
# lock file. For a newer image change tag and digest together: beside a digest Docker ignores the tag, which is for readers.
FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
# Bun itself is a package of the lock file too, and has to be what that says.
RUN version=$(node -p 'require("./package.json").devDependencies.bun') \
  && package=bun-linux-$(uname -m | sed s/x86_64/x64/) \
  && npm pack --silent "@oven/$package@$version" \
  && mv "oven-$package-$version.tgz" bun.tgz \
  && hash=$(node -p 'crypto.hash("sha512", fs.readFileSync("bun.tgz"), "base64")') \
  && grep -qF "\"sha512-${hash:?}\"" bun.lock \
  && tar -xzf bun.tgz package/bin/bun \
  && mv package/bin/bun /usr/local/bin/bun \
  && bun install --frozen-lockfile --production --ignore-scripts
COPY .ci/build.ts .ci/deb.ts ./.ci/
COPY tsconfig.json ./
COPY clients ./clients
COPY drizzle ./drizzle
COPY proto ./proto
COPY src ./src
# The build can't ask git here: --build-arg SOURCE_COMMIT=$(git rev-parse HEAD), and SOURCE_DATE_EPOCH=$(git show -s --format=%ct).
ARG SOURCE_COMMIT SOURCE_DATE_EPOCH
RUN bun .ci/build.ts --outfile /out/fairlead && mkdir /out/data

FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
COPY --from=build /out/fairlead /usr/local/bin/fairlead
COPY --from=build --chown=nonroot:nonroot /out/data /data
ENV FAIRLEAD_DATA_DIR=/data FAIRLEAD_SERVER_HOST=0.0.0.0
VOLUME /data
EXPOSE 3000
# Home Assistant's supervisor builds with this argument, and mounts a directory at /data that is root's: there the image runs as
# root, in a container without rights over the machine.
ARG BUILD_ARCH
ARG RUN_AS=${BUILD_ARCH:+root}
USER ${RUN_AS:-nonroot}
# A migration of a large database takes minutes, during which the server answers nothing.
HEALTHCHECK --interval=30s --timeout=3s --start-period=30m CMD ["fairlead", "health"]
ENTRYPOINT ["fairlead"]
CMD ["serve"]
