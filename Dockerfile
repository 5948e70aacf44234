# syntax=docker/dockerfile:1
# Two stages: the executable of `bun run build`, then an image with it and the C library, and nothing else: no shell, no
# package manager, no Bun. What the build takes from outside is the packages of the lock file.
FROM oven/bun:1.4.5-debian AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts
COPY .ci/build.ts ./.ci/build.ts
COPY drizzle ./drizzle
COPY proto ./proto
COPY src ./src
RUN bun .ci/build.ts --outfile /out/fairlead && mkdir /out/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/fairlead /usr/local/bin/fairlead
COPY --from=build --chown=nonroot:nonroot /out/data /data
ENV FAIRLEAD_DATA_DIR=/data FAIRLEAD_SERVER_HOST=0.0.0.0
VOLUME /data
EXPOSE 3000
USER nonroot
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD ["fairlead", "health"]
ENTRYPOINT ["fairlead"]
CMD ["serve"]
